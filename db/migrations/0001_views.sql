-- What every run scored. The one definition that all leaderboards use; docs/leaderboard.md explains the rules.
create function score_runs(include_suspect boolean default false) returns table (
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
    r.status = 'ended' and r.end_reason not in ('cancelled', 'config_error', 'infra_error'),
    r.status = 'ended' and r.end_reason in ('cancelled', 'config_error', 'infra_error')
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
-- One row per (model, isolation, task, contract): best over runs of the best, and of the last, attempt of each run.
create function leaderboard_scores(
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
    where (for_batch is null or s.batch_id = for_batch)
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
-- The grid models x tasks with positions. Only the newest contract of each task is compared.
create function leaderboard(
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
        when s.model_kind in ('scripted', 'replay', 'oracle') and not include_scripted then 'kind'
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
--> statement-breakpoint
-- One row per (model, isolation): the average of its positions over the tasks, and its place by it.
create function leaderboard_models(
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
  best_place bigint,
  average_best_rank double precision,
  last_place bigint,
  average_last_rank double precision,
  tasks bigint,
  scored_tasks bigint,
  attempts bigint,
  ended bigint,
  infra_errors bigint,
  config_errors bigint,
  cancelled bigint,
  suspects bigint,
  cost_usd numeric,
  input_tokens numeric,
  output_tokens numeric
) language sql stable as $$
  with totals as (
    select
      l.model, l.model_kind, l.isolation, l.unranked,
      avg(l.best_rank) as average_best_rank, avg(l.last_rank) as average_last_rank,
      count(*) as tasks, count(l.best_attempt) as scored_tasks,
      sum(l.attempts)::bigint as attempts, sum(l.ended)::bigint as ended,
      sum(l.infra_errors)::bigint as infra_errors, sum(l.config_errors)::bigint as config_errors,
      sum(l.cancelled)::bigint as cancelled, sum(l.suspects)::bigint as suspects,
      sum(l.cost_usd) as cost_usd, sum(l.input_tokens) as input_tokens, sum(l.output_tokens) as output_tokens
    from leaderboard(
      for_batch, for_models, for_tasks, first_k, include_suspect, include_local, include_scripted
    ) l
    group by l.model, l.model_kind, l.isolation, l.unranked
  )
  select
    t.model, t.model_kind, t.isolation, t.unranked,
    case when t.unranked is null then
      rank() over (partition by t.unranked is null order by t.average_best_rank)
    end,
    t.average_best_rank,
    case when t.unranked is null then
      rank() over (partition by t.unranked is null order by t.average_last_rank)
    end,
    t.average_last_rank,
    t.tasks, t.scored_tasks, t.attempts, t.ended, t.infra_errors, t.config_errors, t.cancelled, t.suspects,
    t.cost_usd, t.input_tokens, t.output_tokens
  from totals t
$$;
--> statement-breakpoint
create view run_scores as select * from score_runs(false);
--> statement-breakpoint
create view leaderboard_entries as
  select b.batch_id, b.name as batch_name, e.*
  from batches b cross join lateral leaderboard_scores(b.batch_id) e;
--> statement-breakpoint
create view overall_leaderboard_entries as select * from leaderboard_scores();
--> statement-breakpoint
comment on table batches is 'What was submitted together. status: queued, running, ended, cancelled.';
--> statement-breakpoint
comment on table runs is 'One attempt of one model at one task. Ends once; end_reason says why, final_evaluation what the last evaluation came to.';
--> statement-breakpoint
comment on column runs.best_score is 'Best primary score of its ok evaluations, suspect ones included; leaderboards use run_scores.';
--> statement-breakpoint
comment on column runs.final_score is 'Primary score of the evaluation at submit or at a forced end, if that was ok.';
--> statement-breakpoint
comment on column runs.epoch is 'Grows when the sandbox of the run had to be made anew.';
--> statement-breakpoint
comment on column runs.replaces is 'The run that this one repeats.';
--> statement-breakpoint
comment on table task_versions is 'Task folders by content hash, as they were when submitted.';
--> statement-breakpoint
comment on table baselines is 'Score of the starter code of a task version.';
--> statement-breakpoint
comment on table agent_configs is 'Prompts and parsers by content hash.';
--> statement-breakpoint
comment on table steps is 'What the model replied and what its command came to; observation is what it is shown next.';
--> statement-breakpoint
comment on table model_calls is 'One row per call to a provider. (run_id, step, try) is the question, attempt counts how often it was put; at most one attempt is confirmed and only that one is in the totals of runs.';
--> statement-breakpoint
comment on table evaluations is 'Clean-room evaluations of submissions. pending: begun, without a result.';
--> statement-breakpoint
comment on column evaluations.suspect is 'The score lies outside the bounds that the task declares: kept, but not counted unless asked for.';
--> statement-breakpoint
comment on table hosts is 'Machines that bear runs.';
--> statement-breakpoint
comment on table leases is 'GPUs held by runs, one row per device; released_at null: held. An index lets no device have two holders.';
--> statement-breakpoint
comment on table artifacts is 'Bytes by SHA-256; they lie in the artifact store.';
--> statement-breakpoint
comment on table snapshots is 'Workspaces kept to restore a lost sandbox.';
--> statement-breakpoint
comment on table comparison_sets is 'What a published table compared.';
--> statement-breakpoint
comment on table events is 'Faults, retries and recoveries of runs and batches.';
--> statement-breakpoint
comment on view run_scores is 'Best and last attempt of every run, suspect scores left out. counted: its scores may enter a leaderboard.';
--> statement-breakpoint
comment on view leaderboard_entries is 'Per batch, model, isolation and task: best attempt and best submission over runs, suspect scores left out.';
--> statement-breakpoint
comment on view overall_leaderboard_entries is 'As leaderboard_entries, over all batches.';
--> statement-breakpoint
comment on function leaderboard is 'Models x tasks with positions; rows of isolation none and of scripted agents have a position only on request.';
--> statement-breakpoint
comment on function leaderboard_models is 'One row per model: average rank over the tasks of leaderboard().';
--> statement-breakpoint
comment on function leaderboard_scores is 'The entries for chosen batch, models, tasks; first_k: only the first k counted runs of each.';
--> statement-breakpoint
comment on function score_runs is 'As run_scores; include_suspect: suspect scores count.';
