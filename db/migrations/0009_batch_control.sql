ALTER TABLE "runs" DROP CONSTRAINT "runs_end_reason";--> statement-breakpoint
DROP INDEX "runs_replaces";--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "priority" integer DEFAULT 3 NOT NULL;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "charged_usd" numeric(20, 10) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "paused_at" timestamp with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX "runs_replaces_unique" ON "runs" USING btree ("replaces") WHERE replaces is not null;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_priority" CHECK (priority between 1 and 5);--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_budget" CHECK (budget_usd > 0 and budget_usd <> 'NaN');--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_end_reason" CHECK (end_reason in ('submit', 'max_steps', 'context', 'cost', 'tokens', 'budget', 'format', 'forfeit', 'wall_time', 'cancelled', 'config_error', 'infra_error'));
--> statement-breakpoint
-- A run that the batch's budget ended is unscored until it was continued: the operator's limit, not the agent's.
-- What every run scored. The one definition that all leaderboards use; docs/leaderboard.md explains the rules.
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
      when r.isolation = 'none' or all_evaluations.without_isolation then 'none'
      when r.isolation is null and r.backend = 'local' then 'none'
      else 'container'
    end,
    r.status, r.end_reason, r.final_evaluation,
    r.status = 'ended' and r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error'),
    r.status = 'ended' and r.end_reason in ('budget', 'cancelled', 'config_error', 'infra_error')
      and exists (select from runs successor where successor.replaces = r.run_id),
    best.primary_score, best.number, last.primary_score, last.number, r.final_score,
    all_evaluations.amount, all_evaluations.suspects,
    r.step, r.cost_usd, r.input_tokens, r.output_tokens, r.created_at
  from runs r
  join task_versions v on v.content_hash = r.task_hash
  cross join lateral (
    select
      count(*) as amount,
      count(*) filter (where e.suspect) as suspects,
      coalesce(bool_or(e.isolation = 'none'), false) as without_isolation
    from evaluations e
    where e.run_id = r.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status <> 'pending'
  ) all_evaluations
  left join lateral (
    select e.primary_score, e.number
    from evaluations e
    where e.run_id = r.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status = 'ok'
      and e.primary_score is not null and (include_suspect or not e.suspect)
    order by case v.direction when 'maximize' then - e.primary_score else e.primary_score end, e.number
    limit 1
  ) best on true
  left join lateral (
    select e.primary_score, e.number
    from evaluations e
    where e.run_id = r.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status = 'ok'
      and (include_suspect or not e.suspect)
    order by e.number desc
    limit 1
  ) last on true
$$;
--> statement-breakpoint
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
    count(*) filter (where not o.superseded and o.end_reason in ('cancelled', 'budget')),
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
comment on column batches.priority is '1 (first) to 5 (last), where batches compete for GPUs and providers.';
--> statement-breakpoint
comment on column batches.charged_usd is 'Of a batch with a budget: confirmed costs, and the reservations of calls whose answer is open or was lost.';
--> statement-breakpoint
comment on column batches.paused_at is 'Since then no run is started; null: the batch is not paused.';
