-- Forks are no independent attempts: they count in the leaderboard of their own batch alone, unless they replace the run that they go on with.
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
  output_tokens numeric
) language sql stable as $$
  with selected as (
    select
      s.*,
      b.created_at as batch_created_at,
      s.counted and coalesce(
        row_number() over (
          partition by s.model, s.model_kind, s.isolation, s.task, s.contract, s.counted
          order by b.created_at, s.batch_id, s.attempt, s.ordinal
        ) <= first_k,
        true
      ) as taken
    from score_runs(include_suspect) s
    join batches b on b.batch_id = s.batch_id
    join runs r on r.run_id = s.run_id
    where (for_batch is null or s.batch_id = for_batch)
      and (
        r.forked_from is null or r.replaces is not null
        or for_batch <> (select origin.batch_id from runs origin where origin.run_id = r.forked_from)
      )
      and (for_models is null or s.model = any (for_models))
      and (for_tasks is null or s.task = any (for_tasks))
  ),
  ordered as (
    select
      s.*,
      case s.direction when 'maximize' then - s.best_attempt else s.best_attempt end as best_key,
      case s.direction when 'maximize' then - s.last_attempt else s.last_attempt end as last_key
    from selected s
  )
  select
    o.model, o.model_kind, o.isolation, o.task, o.contract,
    (array_agg(o.primary_metric order by o.created_at desc))[1],
    (array_agg(o.direction order by o.created_at desc))[1],
    (array_agg(base.value order by o.created_at desc) filter (where base.value is not null))[1],
    count(*) filter (where not o.superseded),
    count(*) filter (where not o.superseded and o.status = 'ended'),
    count(*) filter (where o.taken),
    count(*) filter (where o.taken and o.best_attempt is not null),
    count(*) filter (where not o.superseded and o.end_reason = 'infra_error'),
    count(*) filter (where not o.superseded and o.end_reason = 'config_error'),
    count(*) filter (where not o.superseded and o.end_reason = 'cancelled'),
    count(*) filter (where o.superseded),
    (array_agg(o.best_attempt order by o.best_key, o.batch_created_at, o.attempt, o.ordinal)
      filter (where o.taken and o.best_attempt is not null))[1],
    (array_agg(o.run_id order by o.best_key, o.batch_created_at, o.attempt, o.ordinal)
      filter (where o.taken and o.best_attempt is not null))[1],
    (array_agg(o.last_attempt order by o.last_key, o.batch_created_at, o.attempt, o.ordinal)
      filter (where o.taken and o.last_attempt is not null))[1],
    (array_agg(o.run_id order by o.last_key, o.batch_created_at, o.attempt, o.ordinal)
      filter (where o.taken and o.last_attempt is not null))[1],
    avg(o.best_attempt) filter (where o.taken),
    sum(o.suspects)::bigint,
    sum(o.steps)::bigint,
    sum(o.cost_usd),
    sum(o.input_tokens),
    sum(o.output_tokens)
  from ordered o
  left join baselines base on base.content_hash = o.task_hash
  group by o.model, o.model_kind, o.isolation, o.task, o.contract
$$;
--> statement-breakpoint
comment on column runs.forked_from is 'The run whose first steps, up to forked_at_step, this one begins with.';
--> statement-breakpoint
comment on column evaluations.from_step is 'Of a forced end: the step whose validate the submission is from; null: it was in the workspace.';
