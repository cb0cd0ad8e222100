ALTER TABLE "comparison_sets" ADD COLUMN "sample" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
-- Scores on sample data are ranked apart: a leaderboard takes either kind, and the tasks that need no data.
drop view leaderboard_entries;
--> statement-breakpoint
drop view overall_leaderboard_entries;
--> statement-breakpoint
drop function leaderboard;
--> statement-breakpoint
drop function leaderboard_scores;
--> statement-breakpoint
-- As before; of_sample: runs on sample data instead of real data. Tasks without data count in both.
create function leaderboard_scores(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false,
  of_sample boolean default false
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
    join task_versions version on version.content_hash = s.task_hash
    where ((select r.sample from runs r where r.run_id = s.run_id) = of_sample or version.spec -> 'data' is null)
      and (for_batch is null or s.batch_id = for_batch)
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
create view leaderboard_entries as
  select b.batch_id, b.name as batch_name, e.*
  from batches b cross join lateral leaderboard_scores(b.batch_id) e;
--> statement-breakpoint
create view overall_leaderboard_entries as select * from leaderboard_scores();
--> statement-breakpoint
create function leaderboard(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false,
  include_local boolean default false,
  include_scripted boolean default false,
  of_sample boolean default false
) returns setof leaderboard_score language sql stable as $$
  with every_score as (
    select
      e.*, max(e.contract) over (partition by e.task) as newest_contract,
      case
        when e.isolation = 'none' and not include_local then 'isolation'
        when e.model_kind <> 'real' and not include_scripted then 'kind'
      end as unranked
    from leaderboard_scores(for_batch, for_models, for_tasks, first_k, include_suspect, of_sample) e
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
comment on view leaderboard_entries is 'Per batch, model, isolation and task: best attempt and best submission over runs, suspect scores left out.';
--> statement-breakpoint
comment on view overall_leaderboard_entries is 'As leaderboard_entries, over all batches.';
--> statement-breakpoint
comment on function leaderboard is 'Models x tasks with positions, the baseline among them; rows of isolation none and of what is no model have a position only on request.';
--> statement-breakpoint
comment on function leaderboard_scores is 'The entries for chosen batch, models, tasks; first_k: only the first k counted runs of each.';
--> statement-breakpoint
comment on column comparison_sets.sample is 'Of runs on sample data, and of tasks that need no data; false: of runs on real data, and of those.';
