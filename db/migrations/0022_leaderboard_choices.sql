-- Whether a run is an attempt of its own in the leaderboard of a batch; null: in that over all batches. Forks are none there, nor in the
-- batch of the run that they go on from, nor is what replaces one. What replaces no fork goes on for its own run, or repeats it.
create function is_own_attempt(run text, for_batch text) returns boolean language sql stable as $$
  with recursive line as (
    select r.run_id, r.replaces, r.forked_from from runs r where r.run_id = run
    union
    select r.run_id, r.replaces, r.forked_from from line l join runs r on r.run_id = l.replaces
  )
  select coalesce(for_batch <> o.batch_id, o.batch_id is null)
  from line l left join runs o on o.run_id = l.forked_from
  where l.replaces is null
$$;
--> statement-breakpoint
drop view leaderboard_entries;
--> statement-breakpoint
drop view overall_leaderboard_entries;
--> statement-breakpoint
drop function leaderboard_scores;
--> statement-breakpoint
-- Batches of `bench tasks verify` are left out, except where one is asked for.
create function leaderboard_scores(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false,
  of_sample boolean default false,
  of_profile text default null
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
  last_attempts double precision[],
  baseline_at timestamp with time zone
) language sql stable as $$
  with versions as (
    select
      v.content_hash, v.spec -> 'data' is not null as needs_data, base.value is not null as has_baseline,
      dense_rank() over (order by v.task_id, v.contract) as task
    from versions_under(coalesce(of_profile, case when of_sample then 'cpu' else 'default' end)) u
    join task_versions v on v.content_hash = u.content_hash
    left join baselines base on base.content_hash = v.content_hash
    where for_tasks is null or v.task_id = any (for_tasks) or v.task_id || '@' || v.contract = any (for_tasks)
  ),
  batches_in_order as (
    select b.batch_id, row_number() over (order by b.created_at, b.batch_id) as place
    from batches b where case when for_batch is null then not b.verification else b.batch_id = for_batch end
  ),
  selected as (
    select
      hashtextextended(s.model, v.task) as hash, v.task, s.counted, b.place as batch_place, s.attempt, s.ordinal, v.has_baseline,
      s.superseded, s.best_attempt, s.last_attempt, s.suspects, s.steps, s.input_tokens, s.output_tokens, s.created_at,
      s.model_kind, s.isolation, s.model, s.run_id, s.task_hash, s.status, s.end_reason, s.cost_usd,
      row_number() over (
        partition by hashtextextended(s.model, v.task), v.task, s.model_kind, s.isolation, s.model, s.counted
        order by b.place, s.attempt, s.ordinal
      ) as place
    from score_runs(include_suspect) s
    join batches_in_order b on b.batch_id = s.batch_id
    join versions v on v.content_hash = s.task_hash
    where (for_batch is null or s.batch_id = for_batch)
      and (for_models is null or s.model = any (for_models))
      and (s.sample = of_sample or not v.needs_data)
      and (s.forked_from is null or is_own_attempt(s.run_id, for_batch))
  ),
  keyed as (
    select s.*, s.counted and (first_k is null or s.place <= first_k) as taken from selected s
  ),
  grouped as (
    select
      k.model, k.model_kind, k.isolation,
      array_agg(k.task_hash) as versions,
      array_position(array_agg(k.created_at), max(k.created_at)) as newest,
      array_position(
        array_agg(case when k.has_baseline then k.created_at end), max(k.created_at) filter (where k.has_baseline)
      ) as newest_with_baseline,
      max(k.created_at) filter (where k.has_baseline) as baseline_at,
      count(*) filter (where not k.superseded) as attempts,
      count(*) filter (where not k.superseded and k.status = 'ended') as ended,
      count(*) filter (where k.taken) as counted,
      count(k.best_attempt) filter (where k.taken) as scored,
      count(*) filter (where not k.superseded and k.end_reason = 'infra_error') as infra_errors,
      count(*) filter (where not k.superseded and k.end_reason = 'config_error') as config_errors,
      count(*) filter (where not k.superseded and k.end_reason in ('cancelled', 'budget')) as cancelled,
      count(*) filter (where k.superseded) as retried,
      array_agg(k.run_id order by k.counted, k.batch_place, k.attempt, k.ordinal) filter (where k.taken) as runs,
      array_agg(k.best_attempt order by k.counted, k.batch_place, k.attempt, k.ordinal) filter (where k.taken) as best_attempts,
      array_agg(k.last_attempt order by k.counted, k.batch_place, k.attempt, k.ordinal) filter (where k.taken) as last_attempts,
      min(k.best_attempt) filter (where k.taken) as best_min,
      max(k.best_attempt) filter (where k.taken) as best_max,
      min(k.last_attempt) filter (where k.taken) as last_min,
      max(k.last_attempt) filter (where k.taken) as last_max,
      avg(k.best_attempt) filter (where k.taken) as mean,
      sum(k.suspects)::bigint as suspects, sum(k.steps)::bigint as steps, sum(k.cost_usd) as cost_usd,
      sum(k.input_tokens) as input_tokens, sum(k.output_tokens) as output_tokens
    from keyed k
    group by k.hash, k.task, k.model_kind, k.isolation, k.model
  ),
  found as (
    select
      g.*, v.task_id, v.contract, v.primary_metric, v.direction,
      case when g.best_min is not null then
        array_position(g.best_attempts, case v.direction when 'maximize' then g.best_max else g.best_min end)
      end as best,
      case when g.last_min is not null then
        array_position(g.last_attempts, case v.direction when 'maximize' then g.last_max else g.last_min end)
      end as last
    from grouped g join task_versions v on v.content_hash = g.versions[g.newest]
  )
  select
    f.model, f.model_kind, f.isolation, f.task_id, f.contract, f.primary_metric, f.direction, base.value,
    f.attempts, f.ended, f.counted, f.scored, f.infra_errors, f.config_errors, f.cancelled, f.retried,
    f.best_attempts[f.best], f.runs[f.best], f.last_attempts[f.last], f.runs[f.last],
    f.mean, f.suspects, f.steps, f.cost_usd, f.input_tokens, f.output_tokens,
    coalesce(f.best_attempts, '{}'), coalesce(f.last_attempts, '{}'),
    f.baseline_at
  from found f
  left join baselines base on base.content_hash = f.versions[f.newest_with_baseline]
$$;
--> statement-breakpoint
create view leaderboard_entries as
  select b.batch_id, b.name as batch_name, e.*
  from batches b cross join lateral leaderboard_scores(b.batch_id) e;
--> statement-breakpoint
create view overall_leaderboard_entries as select * from leaderboard_scores();
--> statement-breakpoint
-- Spoilers never rank.
create or replace function leaderboard(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false,
  include_local boolean default false,
  include_scripted boolean default false,
  of_sample boolean default false,
  of_profile text default null,
  with_baselines double precision[] default null
) returns setof leaderboard_score language sql stable as $$
  with every_score as (
    select
      e.*,
      case
        when e.model_kind <> 'real' and e.model = 'scripted:spoiler' then 'spoiler'
        when e.isolation = 'none' and not include_local then 'isolation'
        when e.model_kind <> 'real' and not include_scripted then 'kind'
      end as unranked
    from leaderboard_scores(for_batch, for_models, for_tasks, first_k, include_suspect, of_sample, of_profile) e
  ),
  -- The newest contract with a result of a ranked row; else with any result; else the newest that has runs.
  contracts as (
    select
      e.task,
      coalesce(
        max(e.contract) filter (where e.counted > 0 and e.unranked is null),
        max(e.contract) filter (where e.counted > 0),
        max(e.contract)
      ) as contract
    from every_score e group by e.task
  ),
  scores as materialized (
    select e.* from every_score e join contracts c on c.task = e.task and c.contract = e.contract
  ),
  tasks as materialized (
    select
      s.task, row_number() over () as number, max(s.contract) as contract, max(s.primary_metric) as primary_metric,
      max(s.direction) as direction,
      case
        when with_baselines is null then
          (array_agg(s.baseline order by s.baseline_at desc, s.baseline desc) filter (where s.baseline is not null))[1]
        else with_baselines[coalesce(array_position(for_tasks, s.task || '@' || max(s.contract)), array_position(for_tasks, s.task))]
      end as baseline,
      bool_or(s.unranked is null and s.attempts > 0) as compared
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
-- Of runs without a trajectory nobody wrote down the tokens, and other records may lack a count, too.
create view run_tokens as
  select
    r.run_id,
    case when known.input then r.input_tokens end as input_tokens,
    case when known.output then r.output_tokens end as output_tokens
  from runs r
  left join imports i on i.run_id = r.run_id and i.format = 'mlgym'
  cross join lateral (
    select
      (r.end_reason is distinct from 'unknown' or r.exit_status is not null)
        and (i.run_id is null or coalesce(i.model_stats @@ '$.tokens_sent >= 0', false)) as input,
      (r.end_reason is distinct from 'unknown' or r.exit_status is not null)
        and (i.run_id is null or coalesce(i.model_stats @@ '$.tokens_received >= 0', false)) as output
  ) known;
--> statement-breakpoint
create or replace function run_costs(price_list text) returns table (
  run_id text,
  batch_id text,
  model text,
  model_kind text,
  task text,
  input_tokens bigint,
  output_tokens bigint,
  recorded_usd numeric,
  list_usd numeric
) language sql stable as $$
  select
    r.run_id, r.batch_id, r.model_name, r.model_kind, r.task_id, k.input_tokens, k.output_tokens,
    case r.origin when 'bench' then r.cost_usd else r.recorded_cost_usd end,
    (
      (k.input_tokens - r.cached_tokens) * p.input_usd + r.cached_tokens * coalesce(p.cached_input_usd, p.input_usd)
      + k.output_tokens * p.output_usd
    ) / 1000000
  from runs r join run_tokens k on k.run_id = r.run_id
  left join lateral (
    select l.* from price_lists l
    where l.list = price_list and l.model = r.model_name
      and l.valid_from <= r.created_at::date and (l.valid_until is null or r.created_at::date < l.valid_until)
    order by l.valid_from desc limit 1
  ) p on true
  -- Of these nobody wrote down the tokens.
  where not coalesce(r.end_reason = 'unknown' and r.exit_status is null, false)
$$;
--> statement-breakpoint
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
  where r.model_kind = 'real' and r.forked_from is null
    and exists (select from run_tokens k where k.run_id = r.run_id and k.input_tokens = 0 and k.output_tokens = 0)
    and r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error')
    and not exists (select from model_calls c where c.run_id = r.run_id and c.status = 'confirmed')
$$;
--> statement-breakpoint
create or replace function integrity_rules_version() returns integer language sql immutable as $$ select 2 $$;
--> statement-breakpoint
-- Also of runs that were imported with another database's word that they were looked at.
select mark_integrity();
--> statement-breakpoint
comment on function is_own_attempt is 'Whether a run counts by itself in a leaderboard, of a batch or (null) over all: no fork, nor the repetition of one, unless of a run in another batch.';
--> statement-breakpoint
comment on view leaderboard_entries is 'Per batch, model, isolation and task: best attempt and best submission over runs, suspect scores left out.';
--> statement-breakpoint
comment on view overall_leaderboard_entries is 'As leaderboard_entries, over all batches.';
--> statement-breakpoint
comment on function leaderboard_scores is 'The entries for chosen batch, models, tasks; first_k: only the first k counted runs of each. of_profile, null: default, or cpu for sample data. Without for_batch, batches of `bench tasks verify` are left out. baseline_at: when the newest run came whose task version has a baseline.';
--> statement-breakpoint
comment on function leaderboard is 'Models x tasks with positions, the baseline among them; rows of isolation none and of what is no model have a position only on request. Of each task the newest contract that has results, and the baseline of the newest run. with_baselines: of for_tasks, in their order, in place of their own.';
--> statement-breakpoint
comment on view run_tokens is 'Token counts of each run; null: an imported run whose harness wrote none down, for which runs has 0.';
--> statement-breakpoint
comment on function run_costs is 'Cost of each run by a price list (null: no price, or not its tokens, known) beside the recorded one. Without imported runs that have no trajectory.';
