ALTER TABLE "batches" ADD COLUMN "verification" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
-- Batches of `bench tasks verify` are left out, except where one is asked for.
create or replace function leaderboard_scores(
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
  last_attempts double precision[]
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
      and (
        s.forked_from is null or s.replaces is not null
        or for_batch <> (select origin.batch_id from runs origin where origin.run_id = s.forked_from)
      )
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
    coalesce(f.best_attempts, '{}'), coalesce(f.last_attempts, '{}')
  from found f
  left join baselines base on base.content_hash = f.versions[f.newest_with_baseline]
$$;
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
      e.*, max(e.contract) over (partition by e.task) as newest_contract,
      case
        when e.model_kind <> 'real' and e.model = 'scripted:spoiler' then 'spoiler'
        when e.isolation = 'none' and not include_local then 'isolation'
        when e.model_kind <> 'real' and not include_scripted then 'kind'
      end as unranked
    from leaderboard_scores(for_batch, for_models, for_tasks, first_k, include_suspect, of_sample, of_profile) e
  ),
  scores as materialized (
    select * from every_score e where e.contract = e.newest_contract
  ),
  tasks as materialized (
    select
      s.task, row_number() over () as number, max(s.contract) as contract, max(s.primary_metric) as primary_metric,
      max(s.direction) as direction,
      case
        when with_baselines is null then max(s.baseline)
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
-- What may be compared is ranked alike.
create function task_contract_agrees() returns trigger language plpgsql as $$
declare
  other task_versions;
begin
  if exists (select from task_versions v where v.content_hash = new.content_hash) then
    return new;
  end if;
  -- New versions come one at a time, so that each sees the others.
  perform pg_advisory_xact_lock(hashtextextended('task_versions', 0));
  select v.* into other from task_versions v
  where v.task_id = new.task_id and v.contract = new.contract
    and (v.primary_metric <> new.primary_metric or v.direction <> new.direction)
  limit 1;
  if found then
    raise exception 'task % is ranked by % (%) at contract %, not by % (%)',
      new.task_id, other.primary_metric, other.direction, new.contract, new.primary_metric, new.direction
      using errcode = 'check_violation', constraint = 'task_versions_contract', table = 'task_versions';
  end if;
  return new;
end
$$;
--> statement-breakpoint
create trigger task_versions_contract before insert on task_versions
  for each row execute function task_contract_agrees();
--> statement-breakpoint
comment on column batches.verification is 'It plays tasks for `bench tasks verify`: its runs rank in its own leaderboard alone.';
--> statement-breakpoint
comment on function task_contract_agrees is 'Trigger: versions of a task at one contract have the same primary metric and direction; others are refused.';
--> statement-breakpoint
comment on function leaderboard_scores is 'The entries for chosen batch, models, tasks; first_k: only the first k counted runs of each. of_profile, null: default, or cpu for sample data. Without for_batch, batches of `bench tasks verify` are left out.';
