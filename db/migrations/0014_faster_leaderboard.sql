-- Each task's newest contract, and each run's marks, are looked up once.
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
    select * from leaderboard_scores(for_batch, for_models, for_tasks, first_k, include_suspect)
  ),
  scores as (
    select s.* from every_score s
    join (select e.task, max(e.contract) as contract from every_score e group by e.task) newest
      on newest.task = s.task and newest.contract = s.contract
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
      end as unranked,
      false as is_baseline
    from scores s
    union all
    select null, null, null, null, true where exists (select from tasks t where t.baseline is not null)
  ),
  grid as (
    select
      m.model, m.model_kind, m.isolation, m.unranked, m.is_baseline,
      t.task, t.contract, t.primary_metric, t.direction, t.baseline,
      s.attempts, s.ended, s.counted, s.scored, s.infra_errors, s.config_errors, s.cancelled, s.retried,
      case when m.is_baseline then t.baseline else s.best_attempt end as best_attempt, s.best_run,
      case when m.is_baseline then t.baseline else s.best_submission end as best_submission, s.best_submission_run,
      s.mean, s.suspects, s.steps, s.cost_usd, s.input_tokens, s.output_tokens, s.best_attempts, s.last_attempts,
      coalesce(s.counted > 0 or s.attempts = 0, true) as ran,
      bool_or(m.unranked is null and s.attempts > 0) over (partition by t.task) as task_compared
    from methods m
    cross join tasks t
    left join scores s
      on s.model = m.model and s.model_kind = m.model_kind and s.isolation = m.isolation and s.task = t.task
  ),
  chosen as (
    select
      g.*,
      coalesce(g.task_compared, false) and g.unranked is null
        and (not g.is_baseline or bool_or(g.task_compared and g.baseline is not null) over ()) as compared
    from grid g
  ),
  keyed as (
    select
      c.*,
      c.compared and c.ran as placed,
      case c.direction when 'maximize' then - c.best_attempt else c.best_attempt end as best_key,
      case c.direction when 'maximize' then - c.best_submission else c.best_submission end as last_key
    from chosen c
  ),
  positions as (
    select
      p.*,
      -- Equal values, and the missing ones at the end, share the mean of their positions.
      case when p.placed then
        rank() over (partition by p.task, p.placed order by p.best_key nulls last)
        + (count(*) over (partition by p.task, p.placed, p.best_key) - 1) / 2.0
      end as best_rank,
      case when p.placed then
        rank() over (partition by p.task, p.placed order by p.last_key nulls last)
        + (count(*) over (partition by p.task, p.placed, p.last_key) - 1) / 2.0
      end as last_rank
    from keyed p
  )
  select
    p.model, p.model_kind, p.isolation, p.unranked, p.task, p.contract, p.primary_metric, p.direction, p.baseline,
    coalesce(p.attempts, 0), coalesce(p.ended, 0), coalesce(p.counted, 0), coalesce(p.scored, 0),
    coalesce(p.infra_errors, 0), coalesce(p.config_errors, 0), coalesce(p.cancelled, 0), coalesce(p.retried, 0),
    p.best_attempt, p.best_run, p.best_rank, p.best_submission, p.best_submission_run, p.last_rank,
    p.mean, coalesce(p.suspects, 0), coalesce(p.steps, 0), coalesce(p.cost_usd, 0),
    coalesce(p.input_tokens, 0), coalesce(p.output_tokens, 0),
    coalesce(p.best_attempts, '{}'), coalesce(p.last_attempts, '{}'), p.ran, p.compared
  from positions p
  where not p.is_baseline
$$;
--> statement-breakpoint
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
      when r.isolation = 'none' or tried.without_isolation then 'none'
      when r.isolation is null and r.backend = 'local' then 'none'
      else 'container'
    end,
    r.status, r.end_reason, r.final_evaluation,
    r.status = 'ended' and r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error'),
    r.status = 'ended' and r.end_reason in ('budget', 'cancelled', 'config_error', 'infra_error')
      and exists (select from runs successor where successor.replaces = r.run_id),
    case v.direction when 'maximize' then - tried.best[1] else tried.best[1] end, tried.best[2]::integer,
    tried.last[2], tried.last[1]::integer, r.final_score,
    tried.amount, tried.suspects,
    r.step, r.cost_usd, r.input_tokens, r.output_tokens, r.created_at
  from runs r
  join task_versions v on v.content_hash = r.task_hash
  left join (
    select distinct m.run_id from integrity_marks m where m.rule <> 'beyond_bounds'
  ) marked on marked.run_id = r.run_id
  cross join lateral (select marked.run_id is not null as mark) bears
  cross join lateral (
    select
      count(*) as amount,
      count(*) filter (where j.suspect) as suspects,
      coalesce(bool_or(e.isolation = 'none'), false) as without_isolation,
      -- The best value, and of equal ones the earliest; the last value. Arrays compare by their first difference.
      min(array[case v.direction when 'maximize' then - e.primary_score else e.primary_score end, e.number])
        filter (where e.status = 'ok' and e.primary_score is not null and (include_suspect or not j.suspect)) as best,
      max(array[e.number, e.primary_score])
        filter (where e.status = 'ok' and (include_suspect or not j.suspect)) as last
    from evaluations e
    cross join lateral (
      select e.suspect or coalesce(e.primary_score < v.bound_min or e.primary_score > v.bound_max, false)
        or e.status = 'ok' and bears.mark as suspect
    ) j
    where e.run_id = r.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status <> 'pending'
  ) tried
$$;
