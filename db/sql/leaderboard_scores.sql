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
  refused bigint,
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
  baseline_at timestamp with time zone,
  standard_error double precision,
  target double precision
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
    from batches b where case when for_batch is null then not (b.verification or b.training or b.parent_batch is not null or b.archived_at is not null) else b.batch_id = for_batch end
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
      count(*) filter (where not k.superseded and k.end_reason = 'refusal') as refused,
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
      g.*, v.task_id, v.contract, v.primary_metric, v.direction, target_of(v.spec) as target,
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
    f.attempts, f.ended, f.counted, f.scored, f.infra_errors, f.config_errors, f.cancelled, f.refused, f.retried,
    f.best_attempts[f.best], f.runs[f.best], f.last_attempts[f.last], f.runs[f.last],
    f.mean, f.suspects, f.steps, f.cost_usd, f.input_tokens, f.output_tokens,
    coalesce(f.best_attempts, '{}'), coalesce(f.last_attempts, '{}'),
    f.baseline_at, base.standard_error, f.target
  from found f
  left join baselines base on base.content_hash = f.versions[f.newest_with_baseline]
$$;

comment on function leaderboard_scores is 'The entries for chosen batch, models, tasks; first_k: only the first k counted runs. of_profile, null: default, or cpu for sample data.';
