create function leaderboard(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false,
  include_local boolean default false,
  include_scripted boolean default false,
  of_sample boolean default false,
  of_profile text default null,
  with_baselines double precision[] default null,
  include_imported boolean default false,
  with_standard_errors double precision[] default null,
  with_targets double precision[] default null
) returns setof leaderboard_score language sql stable as $$
  with every_score as (
    select
      e.*,
      case
        when e.model_kind <> 'real' and e.model = 'scripted:spoiler' then 'spoiler'
        when e.isolation = 'import' and not include_imported then 'import'
        when e.isolation = 'none' and not include_local then 'isolation'
        when e.model_kind <> 'real' and not include_scripted then 'kind'
        -- Nothing is known of a model of whose runs none counts: at tasks that it was not submitted for it would rank as missing.
        when sum(e.counted) over every_task = 0 and sum(e.attempts) over every_task > 0
          and sum(e.ended) over every_task = sum(e.attempts) over every_task then 'never_ran'
      end as unranked
    from leaderboard_scores(for_batch, for_models, for_tasks, first_k, include_suspect, of_sample, of_profile) e
    window every_task as (partition by e.model, e.model_kind, e.isolation)
  ),
  -- The newest contract with a result of a ranked row; else with any result, of runs played here first; else the newest that has runs.
  contracts as (
    select
      e.task,
      coalesce(
        max(e.contract) filter (where e.counted > 0 and e.unranked is null),
        max(e.contract) filter (where e.counted > 0 and e.isolation <> 'import'),
        max(e.contract) filter (where e.isolation <> 'import'),
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
          (array_agg(s.baseline order by s.isolation = 'import', s.baseline_at desc, s.baseline desc) filter (where s.baseline is not null))[1]
        else with_baselines[coalesce(array_position(for_tasks, s.task || '@' || max(s.contract)), array_position(for_tasks, s.task))]
      end as baseline,
      case
        when with_standard_errors is null then
          (array_agg(s.standard_error order by s.isolation = 'import', s.baseline_at desc, s.baseline desc) filter (where s.baseline is not null))[1]
        else with_standard_errors[coalesce(array_position(for_tasks, s.task || '@' || max(s.contract)), array_position(for_tasks, s.task))]
      end as standard_error,
      case
        when with_targets is null then
          (array_agg(s.target order by s.isolation = 'import', s.baseline_at desc nulls last, s.target) filter (where s.target is not null))[1]
        else with_targets[coalesce(array_position(for_tasks, s.task || '@' || max(s.contract)), array_position(for_tasks, s.task))]
      end as target,
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
      case when t.baseline is not null then t.standard_error end as standard_error, t.target,
      s.attempts, s.ended, s.counted, s.scored, s.infra_errors, s.config_errors, s.cancelled, s.refused, s.retried,
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
    coalesce(p.infra_errors, 0), coalesce(p.config_errors, 0), coalesce(p.cancelled, 0), coalesce(p.refused, 0), coalesce(p.retried, 0),
    p.best_attempt, p.best_run, p.best_rank, p.best_submission, p.best_submission_run, p.last_rank,
    p.mean, coalesce(p.suspects, 0), coalesce(p.steps, 0), coalesce(p.cost_usd, 0),
    coalesce(p.input_tokens, 0), coalesce(p.output_tokens, 0),
    coalesce(p.best_attempts, '{}'), coalesce(p.last_attempts, '{}'), p.ran, p.compared,
    p.baseline_best_rank, p.baseline_last_rank, p.standard_error, p.target
  from beside p
  where not p.is_baseline
$$;

comment on function leaderboard is 'Models x tasks with positions, the baseline among them. Uses each task''s newest contract with results, and the newest baseline. with_…: those of for_tasks, in their order.';
