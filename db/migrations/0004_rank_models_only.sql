-- People who play are labelled like scripted agents and replays: shown, and ranked only on request.
create or replace function leaderboard(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false,
  include_local boolean default false,
  include_scripted boolean default false
) returns table (
  model text,
  model_kind text,
  isolation text,
  unranked text,
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
  best_rank double precision,
  best_submission double precision,
  best_submission_run text,
  last_rank double precision,
  mean double precision,
  suspects bigint,
  steps bigint,
  cost_usd numeric,
  input_tokens numeric,
  output_tokens numeric
) language sql stable as $$
  with every_score as (
    select * from leaderboard_scores(for_batch, for_models, for_tasks, first_k, include_suspect)
  ),
  scores as (
    select s.* from every_score s
    where s.contract = (select max(newest.contract) from every_score newest where newest.task = s.task)
  ),
  tasks as (
    select
      s.task, max(s.contract) as contract, max(s.primary_metric) as primary_metric, max(s.direction) as direction,
      max(s.baseline) as baseline
    from scores s group by s.task
  ),
  methods as (
    select distinct
      s.model, s.model_kind, s.isolation,
      case
        when s.isolation = 'none' and not include_local then 'isolation'
        when s.model_kind <> 'real' and not include_scripted then 'kind'
      end as unranked
    from scores s
  ),
  grid as (
    select
      m.model, m.model_kind, m.isolation, m.unranked,
      t.task, t.contract, t.primary_metric, t.direction, t.baseline,
      s.attempts, s.ended, s.counted, s.scored, s.infra_errors, s.config_errors, s.cancelled, s.retried,
      s.best_attempt, s.best_run, s.best_submission, s.best_submission_run, s.mean, s.suspects, s.steps, s.cost_usd,
      s.input_tokens, s.output_tokens,
      case t.direction when 'maximize' then - s.best_attempt else s.best_attempt end as best_key,
      case t.direction when 'maximize' then - s.best_submission else s.best_submission end as last_key,
      m.unranked is null as ranked
    from methods m
    cross join tasks t
    left join scores s
      on s.model = m.model and s.model_kind = m.model_kind and s.isolation = m.isolation and s.task = t.task
  )
  select
    g.model, g.model_kind, g.isolation, g.unranked, g.task, g.contract, g.primary_metric, g.direction, g.baseline,
    coalesce(g.attempts, 0), coalesce(g.ended, 0), coalesce(g.counted, 0), coalesce(g.scored, 0),
    coalesce(g.infra_errors, 0), coalesce(g.config_errors, 0), coalesce(g.cancelled, 0), coalesce(g.retried, 0),
    g.best_attempt, g.best_run,
    -- Equal values, and the missing ones at the end, share the mean of their positions.
    case when g.ranked then
      rank() over (partition by g.task, g.ranked order by g.best_key nulls last)
      + (count(*) over (partition by g.task, g.ranked, g.best_key) - 1) / 2.0
    end,
    g.best_submission, g.best_submission_run,
    case when g.ranked then
      rank() over (partition by g.task, g.ranked order by g.last_key nulls last)
      + (count(*) over (partition by g.task, g.ranked, g.last_key) - 1) / 2.0
    end,
    g.mean, coalesce(g.suspects, 0), coalesce(g.steps, 0), coalesce(g.cost_usd, 0),
    coalesce(g.input_tokens, 0), coalesce(g.output_tokens, 0)
  from grid g
$$;
