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
  with every_score as materialized (
    select
      e.*,
      case
        when e.model_kind <> 'real' and e.model = 'scripted:spoiler' then 'spoiler'
        when e.isolation = 'import' and not include_imported then 'import'
        when e.isolation = 'none' and not include_local then 'isolation'
        when e.model_kind <> 'real' and not include_scripted then 'kind'
      end as unranked
    from leaderboard_scores(for_batch, for_models, for_tasks, first_k, include_suspect, of_sample, of_profile) e
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
  -- What decides what is compared, and positions. All else joins at the end: carrying and sorting whole rows took half of the time.
  scores as materialized (
    select
      e.model, e.model_kind, e.isolation, e.unranked, e.task, e.contract, e.primary_metric, e.direction, e.attempts, e.counted,
      e.best_attempt, e.best_submission, e.baseline, e.baseline_at, e.standard_error, e.target
    from every_score e join contracts c on c.task = e.task and c.contract = e.contract
  ),
  -- Of one task the versions' baselines may differ: that of the newest run holds, of imported ones only if there is no other.
  stated as materialized (
    select distinct on (s.task) s.task, s.baseline, s.standard_error
    from scores s where s.baseline is not null
    order by s.task, s.isolation = 'import', s.baseline_at desc, s.baseline desc
  ),
  aimed as materialized (
    select distinct on (s.task) s.task, s.target
    from scores s where s.target is not null
    order by s.task, s.isolation = 'import', s.baseline_at desc nulls last, s.target
  ),
  tasks as materialized (
    select
      g.task, row_number() over () as number, g.contract, g.primary_metric, g.direction, g.compared,
      case when with_baselines is null then stated.baseline else with_baselines[g.given] end as baseline,
      case when with_standard_errors is null then stated.standard_error else with_standard_errors[g.given] end as standard_error,
      case when with_targets is null then aimed.target else with_targets[g.given] end as target
    from (
      select
        s.task, max(s.contract) as contract, max(s.primary_metric) as primary_metric, max(s.direction) as direction,
        bool_or(s.unranked is null and s.attempts > 0) as compared,
        coalesce(array_position(for_tasks, s.task || '@' || max(s.contract)), array_position(for_tasks, s.task)) as given
      from scores s group by s.task
    ) g
    left join stated on stated.task = g.task
    left join aimed on aimed.task = g.task
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
      case t.direction when 'maximize' then -1 else 1 end * case when m.is_baseline then t.baseline else s.best_attempt end as best_key,
      case t.direction when 'maximize' then -1 else 1 end * case when m.is_baseline then t.baseline else s.best_submission end as last_key,
      coalesce(s.counted > 0 or s.attempts = 0, true) as ran,
      t.compared and m.unranked is null
        and (not m.is_baseline or exists (select from tasks k where k.compared and k.baseline is not null)) as compared
    from methods m
    cross join tasks t
    -- A left join, since each score is in the grid; but this one is never done by looking through all scores for each place of the grid.
    full join scores s
      on s.model = m.model and s.model_kind = m.model_kind and s.isolation = m.isolation and s.task = t.task
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
    from (select g.*, g.compared and g.ran as placed from grid g) p
  ),
  beside as materialized (
    select
      p.*,
      max(p.best_rank) filter (where p.is_baseline) over (partition by p.number) as baseline_best_rank,
      max(p.last_rank) filter (where p.is_baseline) over (partition by p.number) as baseline_last_rank
    from positions p
  )
  select
    g.model, g.model_kind, g.isolation, g.unranked, g.task, g.contract, g.primary_metric, g.direction, g.baseline,
    coalesce(g.attempts, 0), coalesce(g.ended, 0), coalesce(g.counted, 0), coalesce(g.scored, 0),
    coalesce(g.infra_errors, 0), coalesce(g.config_errors, 0), coalesce(g.cancelled, 0), coalesce(g.retried, 0),
    g.best_attempt, g.best_run, g.best_rank, g.best_submission, g.best_submission_run, g.last_rank,
    g.mean, coalesce(g.suspects, 0), coalesce(g.steps, 0), coalesce(g.cost_usd, 0),
    coalesce(g.input_tokens, 0), coalesce(g.output_tokens, 0),
    coalesce(g.best_attempts, '{}'), coalesce(g.last_attempts, '{}'), g.ran, g.compared,
    g.baseline_best_rank, g.baseline_last_rank, g.standard_error, g.target
  from (
    select
      p.*, e.attempts, e.ended, e.counted, e.scored, e.infra_errors, e.config_errors, e.cancelled, e.retried,
      e.best_attempt, e.best_run, e.best_submission, e.best_submission_run,
      e.mean, e.suspects, e.steps, e.cost_usd, e.input_tokens, e.output_tokens, e.best_attempts, e.last_attempts
    from (select b.* from beside b where not b.is_baseline) p
    full join every_score e
      on e.model = p.model and e.model_kind = p.model_kind and e.isolation = p.isolation and e.task = p.task and e.contract = p.contract
    offset 0
  ) g
  -- Not those of other contracts.
  where g.number is not null
$$;

comment on function leaderboard is 'Models x tasks with positions, the baseline among them; rows of isolation none or import (include_imported), and rows that are not models, are ranked only on request. Uses each task''s newest contract with results, and the baseline of the newest run. with_baselines, with_standard_errors, with_targets: those of for_tasks, in their order, instead of their own.';
