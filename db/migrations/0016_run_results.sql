CREATE TABLE "run_results" (
	"run_id" text PRIMARY KEY NOT NULL,
	"evaluations" integer NOT NULL,
	"suspects" integer NOT NULL,
	"without_isolation" boolean NOT NULL,
	"best_attempt" double precision,
	"best_number" integer,
	"last_attempt" double precision,
	"last_number" integer,
	"best_attempt_of_all" double precision,
	"best_number_of_all" integer,
	"last_attempt_of_all" double precision,
	"last_number_of_all" integer
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "answered_calls" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "run_results" ADD CONSTRAINT "run_results_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "model_calls_unanswered" ON "model_calls" USING btree ("provider","status") WHERE status <> 'confirmed';
--> statement-breakpoint
update runs r set answered_calls = c.answered
from (select m.run_id, count(*) as answered from model_calls m where m.status = 'confirmed' group by m.run_id) c
where c.run_id = r.run_id;
--> statement-breakpoint
-- What runs scored, computed from their evaluations: the definition. Null: of all runs; runs without an evaluation have no row.
-- Suspect: an evaluation beyond the task's bounds, and each of a run that bears another mark.
create function find_run_results(ids text[] default null) returns setof run_results language sql stable as $$
  select
    j.run_id, count(*)::integer, (count(*) filter (where j.suspect))::integer, coalesce(bool_or(j.isolation = 'none'), false),
    j.sign * (min(j.good) filter (where not j.suspect))[1], (min(j.good) filter (where not j.suspect))[2]::integer,
    (max(j.late) filter (where not j.suspect))[2], (max(j.late) filter (where not j.suspect))[1]::integer,
    j.sign * (min(j.good))[1], (min(j.good))[2]::integer, (max(j.late))[2], (max(j.late))[1]::integer
  from (
    select
      e.run_id, e.isolation, s.sign,
      e.suspect or coalesce(e.primary_score < v.bound_min or e.primary_score > v.bound_max, false)
        or e.status = 'ok' and bears.mark as suspect,
      -- The best value, and of equal ones the earliest; the last value. Arrays compare by their first difference.
      case when e.status = 'ok' and e.primary_score is not null then array[s.sign * e.primary_score, e.number] end as good,
      case when e.status = 'ok' then array[e.number, e.primary_score] end as late
    from unnest(coalesce(ids, array(select r.run_id from runs r))) given (run_id)
    join runs r on r.run_id = given.run_id
    join task_versions v on v.content_hash = r.task_hash
    cross join lateral (select case v.direction when 'maximize' then -1 else 1 end as sign) s
    cross join lateral (
      select exists (select from integrity_marks m where m.run_id = r.run_id and m.rule <> 'beyond_bounds') as mark offset 0
    ) bears
    join evaluations e on e.run_id = r.run_id
    where e.split = 'test' and e.kind <> 'baseline' and e.status <> 'pending'
  ) j
  group by j.run_id, j.sign
$$;
--> statement-breakpoint
-- Write them down; null: of all runs.
create function refresh_run_results(ids text[] default null) returns void language plpgsql as $$
declare
  wanted text[] := coalesce(ids, array(select r.run_id from runs r));
begin
  if cardinality(wanted) = 0 then
    return;
  end if;
  -- Writers of one run's evaluations take turns here, so that the last of them sees what the others wrote.
  perform from unnest(wanted) given (run_id) join runs r on r.run_id = given.run_id order by r.run_id for no key update of r;
  delete from run_results t using unnest(wanted) given (run_id)
  where t.run_id = given.run_id and not exists (
    select from evaluations e
    where e.run_id = t.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status <> 'pending'
  );
  insert into run_results as t select * from find_run_results(wanted)
  on conflict (run_id) do update set
    evaluations = excluded.evaluations, suspects = excluded.suspects, without_isolation = excluded.without_isolation,
    best_attempt = excluded.best_attempt, best_number = excluded.best_number,
    last_attempt = excluded.last_attempt, last_number = excluded.last_number,
    best_attempt_of_all = excluded.best_attempt_of_all, best_number_of_all = excluded.best_number_of_all,
    last_attempt_of_all = excluded.last_attempt_of_all, last_number_of_all = excluded.last_number_of_all
  where t.* is distinct from excluded.*;
end
$$;
--> statement-breakpoint
create function evaluations_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    -- One that has only begun scores nothing.
    perform refresh_run_results(array(select distinct n.run_id from after n where n.status <> 'pending'));
  elsif tg_op = 'DELETE' then
    perform refresh_run_results(array(select distinct o.run_id from before o));
  else
    perform refresh_run_results(array(select o.run_id from before o union select n.run_id from after n));
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger evaluations_insert_results after insert on evaluations
  referencing new table as after for each statement execute function evaluations_changed();
--> statement-breakpoint
create trigger evaluations_update_results after update on evaluations
  referencing old table as before new table as after for each statement execute function evaluations_changed();
--> statement-breakpoint
create trigger evaluations_delete_results after delete on evaluations
  referencing old table as before for each statement execute function evaluations_changed();
--> statement-breakpoint
create function marks_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform refresh_run_results(array(select distinct n.run_id from after n where n.rule <> 'beyond_bounds'));
  elsif tg_op = 'DELETE' then
    perform refresh_run_results(array(select distinct o.run_id from before o where o.rule <> 'beyond_bounds'));
  else
    perform refresh_run_results(array(
      (select o.run_id from before o where o.rule <> 'beyond_bounds' union select n.run_id from after n where n.rule <> 'beyond_bounds')
    ));
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger integrity_marks_insert_results after insert on integrity_marks
  referencing new table as after for each statement execute function marks_changed();
--> statement-breakpoint
create trigger integrity_marks_update_results after update on integrity_marks
  referencing old table as before new table as after for each statement execute function marks_changed();
--> statement-breakpoint
create trigger integrity_marks_delete_results after delete on integrity_marks
  referencing old table as before for each statement execute function marks_changed();
--> statement-breakpoint
create function task_version_changed() returns trigger language plpgsql as $$
begin
  perform refresh_run_results(array(select r.run_id from runs r where r.task_hash = new.content_hash));
  return null;
end
$$;
--> statement-breakpoint
create trigger task_versions_update_results after update of direction, bound_min, bound_max on task_versions
  for each row execute function task_version_changed();
--> statement-breakpoint
select refresh_run_results();
--> statement-breakpoint
-- Each run's scores come from run_results.
create or replace function score_runs(include_suspect boolean default false) returns table (
  run_id text,
  batch_id text,
  model text,
  model_kind text,
  agent text,
  task text,
  task_hash text,
  contract integer,
  primary_metric text,
  direction text,
  attempt integer,
  ordinal integer,
  isolation text,
  status text,
  end_reason text,
  final_evaluation text,
  counted boolean,
  superseded boolean,
  best_attempt double precision,
  best_number integer,
  last_attempt double precision,
  last_number integer,
  final_score double precision,
  evaluations bigint,
  suspects bigint,
  steps integer,
  cost_usd numeric,
  input_tokens bigint,
  output_tokens bigint,
  created_at timestamp with time zone
) language sql stable as $$
  select
    r.run_id, r.batch_id, r.model_name, r.model_kind, r.agent_name, r.task_id, r.task_hash, r.contract,
    v.primary_metric, v.direction, r.attempt, r.ordinal,
    case
      when r.isolation = 'none' or t.without_isolation then 'none'
      when r.isolation is null and r.backend = 'local' then 'none'
      else 'container'
    end,
    r.status, r.end_reason, r.final_evaluation,
    r.status = 'ended' and r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error'),
    r.status = 'ended' and r.end_reason in ('budget', 'cancelled', 'config_error', 'infra_error')
      and exists (select from runs successor where successor.replaces = r.run_id),
    case when include_suspect then t.best_attempt_of_all else t.best_attempt end,
    case when include_suspect then t.best_number_of_all else t.best_number end,
    case when include_suspect then t.last_attempt_of_all else t.last_attempt end,
    case when include_suspect then t.last_number_of_all else t.last_number end,
    r.final_score, coalesce(t.evaluations, 0)::bigint, coalesce(t.suspects, 0)::bigint,
    r.step, r.cost_usd, r.input_tokens, r.output_tokens, r.created_at
  from runs r
  join task_versions v on v.content_hash = r.task_hash
  left join run_results t on t.run_id = r.run_id
$$;
--> statement-breakpoint
-- All is sorted once: first by a hash, since most comparisons then end with it, and the arrays in the order of the attempts.
-- Of equal values the first in that order is named.
create or replace function leaderboard_scores(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false
) returns table (
  model text,
  model_kind text,
  isolation text,
  task text,
  contract integer,
  primary_metric text,
  direction text,
  baseline double precision,
  attempts bigint,
  ended bigint,
  counted bigint,
  scored bigint,
  infra_errors bigint,
  config_errors bigint,
  cancelled bigint,
  retried bigint,
  best_attempt double precision,
  best_run text,
  best_submission double precision,
  best_submission_run text,
  mean double precision,
  suspects bigint,
  steps bigint,
  cost_usd numeric,
  input_tokens numeric,
  output_tokens numeric,
  best_attempts double precision[],
  last_attempts double precision[]
) language sql stable as $$
  with selected as (
    select
      s.*, b.created_at as batch_created_at, base.value as baseline,
      hashtextextended(s.model, hashtextextended(s.task, s.contract)) as hash,
      row_number() over (
        partition by
          hashtextextended(s.model, hashtextextended(s.task, s.contract)),
          s.model, s.model_kind, s.isolation, s.task, s.contract, s.counted
        order by b.created_at, s.batch_id, s.attempt, s.ordinal
      ) as place
    from score_runs(include_suspect) s
    join batches b on b.batch_id = s.batch_id
    left join runs fork on fork.run_id = s.run_id and fork.forked_from is not null
    left join baselines base on base.content_hash = s.task_hash
    where (for_batch is null or s.batch_id = for_batch)
      and (
        fork.run_id is null or fork.replaces is not null
        or for_batch <> (select origin.batch_id from runs origin where origin.run_id = fork.forked_from)
      )
      and (for_models is null or s.model = any (for_models))
      and (for_tasks is null or s.task = any (for_tasks) or s.task || '@' || s.contract = any (for_tasks))
  ),
  keyed as (
    select
      s.*, s.counted and (first_k is null or s.place <= first_k) as taken,
      case s.direction when 'maximize' then - s.best_attempt else s.best_attempt end as best_key,
      case s.direction when 'maximize' then - s.last_attempt else s.last_attempt end as last_key
    from selected s
  ),
  grouped as (
    select
      k.model, k.model_kind, k.isolation, k.task, k.contract,
      array_agg(k.task_hash) as versions,
      array_position(array_agg(k.created_at), max(k.created_at)) as newest,
      array_position(
        array_agg(case when k.baseline is not null then k.created_at end), max(k.created_at) filter (where k.baseline is not null)
      ) as newest_with_baseline,
      count(*) filter (where not k.superseded) as attempts,
      count(*) filter (where not k.superseded and k.status = 'ended') as ended,
      count(*) filter (where k.taken) as counted,
      count(k.best_attempt) filter (where k.taken) as scored,
      count(*) filter (where not k.superseded and k.end_reason = 'infra_error') as infra_errors,
      count(*) filter (where not k.superseded and k.end_reason = 'config_error') as config_errors,
      count(*) filter (where not k.superseded and k.end_reason in ('cancelled', 'budget')) as cancelled,
      count(*) filter (where k.superseded) as retried,
      array_agg(k.run_id order by k.counted, k.batch_created_at, k.batch_id, k.attempt, k.ordinal) filter (where k.taken) as runs,
      array_agg(k.best_attempt order by k.counted, k.batch_created_at, k.batch_id, k.attempt, k.ordinal) filter (where k.taken) as best_attempts,
      array_agg(k.last_attempt order by k.counted, k.batch_created_at, k.batch_id, k.attempt, k.ordinal) filter (where k.taken) as last_attempts,
      array_agg(k.best_key order by k.counted, k.batch_created_at, k.batch_id, k.attempt, k.ordinal) filter (where k.taken) as best_keys,
      array_agg(k.last_key order by k.counted, k.batch_created_at, k.batch_id, k.attempt, k.ordinal) filter (where k.taken) as last_keys,
      min(k.best_key) filter (where k.taken) as best_key,
      min(k.last_key) filter (where k.taken) as last_key,
      avg(k.best_attempt) filter (where k.taken) as mean,
      sum(k.suspects)::bigint as suspects, sum(k.steps)::bigint as steps, sum(k.cost_usd) as cost_usd,
      sum(k.input_tokens) as input_tokens, sum(k.output_tokens) as output_tokens
    from keyed k
    group by k.hash, k.model, k.model_kind, k.isolation, k.task, k.contract
  ),
  found as (
    select
      g.*,
      case when g.best_key is not null then array_position(g.best_keys, g.best_key) end as best,
      case when g.last_key is not null then array_position(g.last_keys, g.last_key) end as last
    from grouped g
  )
  select
    f.model, f.model_kind, f.isolation, f.task, f.contract, v.primary_metric, v.direction, base.value,
    f.attempts, f.ended, f.counted, f.scored, f.infra_errors, f.config_errors, f.cancelled, f.retried,
    f.best_attempts[f.best], f.runs[f.best], f.last_attempts[f.last], f.runs[f.last],
    f.mean, f.suspects, f.steps, f.cost_usd, f.input_tokens, f.output_tokens,
    coalesce(f.best_attempts, '{}'), coalesce(f.last_attempts, '{}')
  from found f
  join task_versions v on v.content_hash = f.versions[f.newest]
  left join baselines base on base.content_hash = f.versions[f.newest_with_baseline]
$$;
--> statement-breakpoint
alter type leaderboard_score add attribute baseline_best_rank double precision;
--> statement-breakpoint
alter type leaderboard_score add attribute baseline_last_rank double precision;
--> statement-breakpoint
create or replace function leaderboard(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false,
  include_local boolean default false,
  include_scripted boolean default false
) returns setof leaderboard_score language sql stable as $$
  with every_score as (
    select
      e.*, max(e.contract) over (partition by e.task) as newest_contract,
      case
        when e.isolation = 'none' and not include_local then 'isolation'
        when e.model_kind <> 'real' and not include_scripted then 'kind'
      end as unranked
    from leaderboard_scores(for_batch, for_models, for_tasks, first_k, include_suspect) e
  ),
  scores as materialized (
    select * from every_score e where e.contract = e.newest_contract
  ),
  tasks as materialized (
    select
      s.task, row_number() over () as number, max(s.contract) as contract, max(s.primary_metric) as primary_metric,
      max(s.direction) as direction, max(s.baseline) as baseline, bool_or(s.unranked is null and s.attempts > 0) as compared
    from scores s group by s.task
  ),
  methods as materialized (
    select distinct s.model, s.model_kind, s.isolation, s.unranked, false as is_baseline from scores s
    union all
    select null, null, null, null, true where exists (select from tasks t where t.baseline is not null)
  ),
  grid as (
    select
      m.model, m.model_kind, m.isolation, m.unranked, m.is_baseline,
      t.number, t.task, t.contract, t.primary_metric, t.direction, t.baseline,
      s.attempts, s.ended, s.counted, s.scored, s.infra_errors, s.config_errors, s.cancelled, s.retried,
      case when m.is_baseline then t.baseline else s.best_attempt end as best_attempt, s.best_run,
      case when m.is_baseline then t.baseline else s.best_submission end as best_submission, s.best_submission_run,
      s.mean, s.suspects, s.steps, s.cost_usd, s.input_tokens, s.output_tokens, s.best_attempts, s.last_attempts,
      coalesce(s.counted > 0 or s.attempts = 0, true) as ran,
      t.compared and m.unranked is null
        and (not m.is_baseline or exists (select from tasks k where k.compared and k.baseline is not null)) as compared
    from methods m
    cross join tasks t
    -- A left join, since each score is in the grid; but this one is never done by looking through all scores for each place of the grid.
    full join scores s
      on s.model = m.model and s.model_kind = m.model_kind and s.isolation = m.isolation and s.task = t.task
  ),
  keyed as (
    select
      c.*,
      c.compared and c.ran as placed,
      case c.direction when 'maximize' then - c.best_attempt else c.best_attempt end as best_key,
      case c.direction when 'maximize' then - c.best_submission else c.best_submission end as last_key
    from grid c
  ),
  positions as (
    select
      p.*,
      -- Equal values, and the missing ones at the end, share the mean of their positions.
      case when p.placed then
        (2 * rank() over (partition by p.number, p.placed order by p.best_key nulls last)
        + count(*) over (partition by p.number, p.placed, p.best_key) - 1) / 2.0::double precision
      end as best_rank,
      case when p.placed then
        (2 * rank() over (partition by p.number, p.placed order by p.last_key nulls last)
        + count(*) over (partition by p.number, p.placed, p.last_key) - 1) / 2.0::double precision
      end as last_rank
    from keyed p
  ),
  beside as (
    select
      p.*,
      max(p.best_rank) filter (where p.is_baseline) over (partition by p.number) as baseline_best_rank,
      max(p.last_rank) filter (where p.is_baseline) over (partition by p.number) as baseline_last_rank
    from positions p
  )
  select
    p.model, p.model_kind, p.isolation, p.unranked, p.task, p.contract, p.primary_metric, p.direction, p.baseline,
    coalesce(p.attempts, 0), coalesce(p.ended, 0), coalesce(p.counted, 0), coalesce(p.scored, 0),
    coalesce(p.infra_errors, 0), coalesce(p.config_errors, 0), coalesce(p.cancelled, 0), coalesce(p.retried, 0),
    p.best_attempt, p.best_run, p.best_rank, p.best_submission, p.best_submission_run, p.last_rank,
    p.mean, coalesce(p.suspects, 0), coalesce(p.steps, 0), coalesce(p.cost_usd, 0),
    coalesce(p.input_tokens, 0), coalesce(p.output_tokens, 0),
    coalesce(p.best_attempts, '{}'), coalesce(p.last_attempts, '{}'), p.ran, p.compared,
    p.baseline_best_rank, p.baseline_last_rank
  from beside p
  where not p.is_baseline
$$;
--> statement-breakpoint
create or replace function rank_models(grid leaderboard_score[]) returns table (
  model text,
  model_kind text,
  isolation text,
  unranked text,
  best_place bigint,
  average_best_rank double precision,
  best_borda double precision,
  last_place bigint,
  average_last_rank double precision,
  last_borda double precision,
  tasks bigint,
  scored_tasks bigint,
  attempts bigint,
  ended bigint,
  infra_errors bigint,
  config_errors bigint,
  cancelled bigint,
  suspects bigint,
  cost_usd numeric,
  cost_per_run_usd numeric,
  input_tokens numeric,
  output_tokens numeric
) language sql stable strict as $$
  with compared as (
    select
      (select count(*) from (select distinct l.model, l.model_kind, l.isolation from unnest(grid) l where l.compared) m)
        + (count(l.baseline) > 0)::integer as methods,
      count(distinct l.task) as tasks
    from unnest(grid) l where l.compared
  ),
  totals as (
    select
      l.model, l.model_kind, l.isolation, l.unranked,
      avg(l.best_rank) as average_best_rank, avg(l.last_rank) as average_last_rank,
      count(*) as tasks, count(l.best_attempt) as scored_tasks,
      sum(l.attempts)::bigint as attempts, sum(l.ended)::bigint as ended,
      sum(l.infra_errors)::bigint as infra_errors, sum(l.config_errors)::bigint as config_errors,
      sum(l.cancelled)::bigint as cancelled, sum(l.suspects)::bigint as suspects,
      sum(l.cost_usd) as cost_usd, sum(l.input_tokens) as input_tokens, sum(l.output_tokens) as output_tokens
    from unnest(grid) l
    group by l.model, l.model_kind, l.isolation, l.unranked
  )
  select
    t.model, t.model_kind, t.isolation, t.unranked,
    case when t.average_best_rank is not null then
      rank() over (partition by t.average_best_rank is null order by t.average_best_rank)
    end,
    t.average_best_rank,
    (c.methods + 1 - t.average_best_rank) * c.tasks,
    case when t.average_last_rank is not null then
      rank() over (partition by t.average_last_rank is null order by t.average_last_rank)
    end,
    t.average_last_rank,
    (c.methods + 1 - t.average_last_rank) * c.tasks,
    t.tasks, t.scored_tasks, t.attempts, t.ended, t.infra_errors, t.config_errors, t.cancelled, t.suspects,
    t.cost_usd, t.cost_usd / nullif(t.ended, 0), t.input_tokens, t.output_tokens
  from totals t cross join compared c
$$;
--> statement-breakpoint
create function baseline_ranks(grid leaderboard_score[]) returns table (
  average_best_rank double precision,
  best_borda double precision,
  average_last_rank double precision,
  last_borda double precision
) language sql stable strict as $$
  with compared as (
    select count(*) + 1 as methods
    from (select distinct l.model, l.model_kind, l.isolation from unnest(grid) l where l.compared) m
  ),
  tasks as (
    select l.task, max(l.baseline_best_rank) as best_rank, max(l.baseline_last_rank) as last_rank
    from unnest(grid) l where l.compared group by l.task
  )
  select
    avg(t.best_rank), (c.methods + 1 - avg(t.best_rank)) * count(*),
    avg(t.last_rank), (c.methods + 1 - avg(t.last_rank)) * count(*)
  from tasks t cross join compared c
  group by c.methods having count(t.best_rank) > 0
$$;
--> statement-breakpoint
-- As jsonb would write the array, in half the time.
create or replace function compared_cells(grid leaderboard_score[]) returns score_cell[] language sql stable strict as $$
  with cells as (
    select
      '[' || to_json(l.model) || ', "' || l.model_kind || '", "' || l.isolation || '"]' as method, false as is_baseline,
      l.task, l.direction, l.baseline, l.best_attempt, l.best_submission, l.ran
    from unnest(grid) l where l.compared
    union all
    select 'baseline', true, l.task, max(l.direction), max(l.baseline), max(l.baseline), max(l.baseline), true
    from unnest(grid) l
    where l.compared and exists (select from unnest(grid) known where known.compared and known.baseline is not null)
    group by l.task
  )
  select array_agg(row(c.*)::score_cell order by c.is_baseline, c.method, c.task) from cells c
$$;
--> statement-breakpoint
-- Given runs are joined: looked for in an array, each of many would be compared with each.
create or replace function find_integrity_marks(ids text[] default null) returns table (
  run_id text,
  rule text,
  step integer,
  detail text
) language sql stable as $$
  with ended as (
    select r.*, v.bound_min, v.bound_max, t.protected_files, coalesce(t.self_reported, false) as self_reported
    from unnest(coalesce(ids, array(select e.run_id from runs e where e.status = 'ended'))) given (run_id)
    join runs r on r.run_id = given.run_id
    join task_versions v on v.content_hash = r.task_hash
    left join task_integrity t on t.task_id = r.task_id and t.contract = r.contract
    where r.status = 'ended'
  ),
  protected as (
    select r.run_id, f.file from ended r cross join lateral unnest(r.protected_files) f (file)
  ),
  writes as (
    select p.run_id, p.file, s.step
    from protected p join steps s on s.run_id = p.run_id
    where s.observation is not null and case
      when s.action ~ '^\s*(edit|insert|create)\M' then
        right(s.tool_state ->> 'openFile', length(p.file) + 11) = '/workspace/' || p.file
        and (
          s.observation ~ '(^|\n)(File updated\.|The file has been changed\.)'
          or s.action ~ '^\s*create\M' and s.observation like '[File: %'
        )
      when strpos(s.action, regexp_replace(p.file, '^.*/', '')) > 0 then
        coalesce(s.exit_code, 0) = 0 and not s.lost
        and s.observation !~ 'Permission denied|Read-only file system|Operation not permitted|cannot (stat|create|move)|No such file'
        and exists (
          select from shell_writes(
            s.action,
            coalesce(
              (select b.working_dir from steps b where b.run_id = s.run_id and b.step = s.step - 1), '/home/agent/workspace'
            )
          ) w (path)
          where right(w.path, length(p.file) + 11) = '/workspace/' || p.file
        )
    end
  )
  select
    e.run_id, 'beyond_bounds', min(e.step) filter (where j.beyond),
    format('%s of %s scores outside of what is possible, the first %s', count(*) filter (where j.beyond), count(*),
      (array_agg(e.primary_score order by e.number) filter (where j.beyond))[1])
  from ended r join evaluations e on e.run_id = r.run_id
  cross join lateral (
    select e.suspect or coalesce(e.primary_score < r.bound_min or e.primary_score > r.bound_max, false) as beyond
  ) j
  where e.status = 'ok' and e.kind <> 'baseline' and e.split = 'test'
  group by e.run_id having bool_or(j.beyond)
  union all
  select
    w.run_id, 'protected_write', min(w.step),
    format('wrote to %s (%s)', string_agg(distinct w.file, ', '),
      case count(distinct w.step) when 1 then 'in one step' else format('in %s steps', count(distinct w.step)) end)
  from writes w group by w.run_id
  union all
  select r.run_id, 'self_reported', min(e.step), 'the score is a value that the agent wrote'
  from ended r join evaluations e on e.run_id = r.run_id
  where r.self_reported and e.status = 'ok' and e.kind <> 'baseline' and e.split = 'test' and e.primary_score is not null
  group by r.run_id
  union all
  select r.run_id, 'no_model_call', null, 'no call to the model was answered: the score is the starter''s'
  from ended r
  where r.model_kind = 'real' and r.forked_from is null and r.input_tokens = 0 and r.output_tokens = 0
    and r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error')
    -- Of runs without a trajectory nobody wrote down the tokens.
    and (r.end_reason <> 'unknown' or r.exit_status is not null)
    and not exists (select from model_calls c where c.run_id = r.run_id and c.status = 'confirmed')
$$;
--> statement-breakpoint
create or replace function mark_integrity(ids text[] default null) returns bigint language sql volatile as $$
  with found as materialized (select * from find_integrity_marks(ids)),
  outdated as (
    delete from integrity_marks m
    using unnest(coalesce(ids, array(select distinct o.run_id from integrity_marks o))) given (run_id)
    where m.run_id = given.run_id and not exists (select from found f where f.run_id = m.run_id and f.rule = m.rule)
  ),
  marked as (
    insert into integrity_marks (run_id, rule, step, detail, version)
    select f.run_id, f.rule, f.step, f.detail, integrity_rules_version() from found f
    on conflict (run_id, rule) do update
      set step = excluded.step, detail = excluded.detail, version = excluded.version
    returning 1
  ),
  looked_at as (
    update runs r set integrity_version = integrity_rules_version()
    from unnest(coalesce(ids, array(select e.run_id from runs e where e.status = 'ended'))) given (run_id)
    where r.run_id = given.run_id and r.status = 'ended'
  )
  select count(*) from marked
$$;
--> statement-breakpoint
comment on table run_results is 'What find_run_results() says of each run, kept by triggers on evaluations, integrity_marks and task_versions, for leaderboards. No row: no evaluation yet.';
--> statement-breakpoint
comment on column run_results.evaluations is 'Finished ones on the test split.';
--> statement-breakpoint
comment on column run_results.best_attempt is 'Without suspect values, as last_attempt; …_of_all: with them.';
--> statement-breakpoint
comment on column runs.answered_calls is 'Answered model calls of its own: its rows of model_calls that are confirmed.';
--> statement-breakpoint
comment on function find_run_results is 'The definition of run_results: what the evaluations of these runs (null: of all) scored, without writing it down.';
--> statement-breakpoint
comment on function refresh_run_results is 'Bring run_results of these runs (null: of all) up to find_run_results().';
--> statement-breakpoint
comment on function evaluations_changed is 'Trigger: run_results follow evaluations.';
--> statement-breakpoint
comment on function marks_changed is 'Trigger: run_results follow integrity marks.';
--> statement-breakpoint
comment on function task_version_changed is 'Trigger: run_results follow the bounds and the direction of a task version.';
--> statement-breakpoint
comment on function baseline_ranks is 'Average rank and Borda points of the baselines in a grid that leaderboard() made; as average_ranks() has them.';
