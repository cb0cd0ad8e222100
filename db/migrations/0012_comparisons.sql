ALTER TABLE "comparison_sets" ADD COLUMN "axis" double precision DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "comparison_sets" ADD COLUMN "mode" text DEFAULT 'strict' NOT NULL;--> statement-breakpoint
ALTER TABLE "comparison_sets" ADD COLUMN "metric" text DEFAULT 'best-attempt' NOT NULL;--> statement-breakpoint
ALTER TABLE "comparison_sets" ADD COLUMN "include_suspect" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "comparison_sets" ADD COLUMN "include_local" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "comparison_sets" ADD COLUMN "include_scripted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "comparison_sets" ADD COLUMN "batch_id" text;--> statement-breakpoint
ALTER TABLE "comparison_sets" ADD CONSTRAINT "comparison_sets_axis" CHECK (axis > 0 and axis < 'Infinity');
--> statement-breakpoint
-- The baseline is a method like the others, and takes a position; a pair at which only the infrastructure failed takes none.
-- The functions over a grid share what leaderboard() computed once.
drop view leaderboard_entries;
--> statement-breakpoint
drop view overall_leaderboard_entries;
--> statement-breakpoint
drop function leaderboard_models;
--> statement-breakpoint
drop function leaderboard_cells;
--> statement-breakpoint
drop function leaderboard;
--> statement-breakpoint
drop function leaderboard_scores;
--> statement-breakpoint
-- One row per (model, isolation, task, contract): best over runs of the best, and of the last, attempt of each run.
-- best_attempts and last_attempts: of each counted run, the same run at the same place; null: it has no score.
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
  output_tokens numeric,
  best_attempts double precision[],
  last_attempts double precision[]
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
    sum(o.output_tokens),
    coalesce(array_agg(o.best_attempt order by o.batch_created_at, o.attempt, o.ordinal) filter (where o.taken), '{}'),
    coalesce(array_agg(o.last_attempt order by o.batch_created_at, o.attempt, o.ordinal) filter (where o.taken), '{}')
  from ordered o
  left join baselines base on base.content_hash = o.task_hash
  group by o.model, o.model_kind, o.isolation, o.task, o.contract
$$;
--> statement-breakpoint
create view leaderboard_entries as
  select b.batch_id, b.name as batch_name, e.*
  from batches b cross join lateral leaderboard_scores(b.batch_id) e;
--> statement-breakpoint
create view overall_leaderboard_entries as select * from leaderboard_scores();
--> statement-breakpoint
-- One (model, task) of the grid. ran: false where runs were submitted and none counts, so that nothing is known of the model.
create type leaderboard_score as (
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
  output_tokens numeric,
  best_attempts double precision[],
  last_attempts double precision[],
  ran boolean,
  compared boolean
);
--> statement-breakpoint
-- The grid models x tasks with positions. Only the newest contract of each task is compared.
-- Compared are the methods that rank, and the baseline, at the tasks for which at least one of them was submitted.
create function leaderboard(
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
-- One row per (model, isolation): the average of its positions over the tasks, and its place by it.
-- Borda points are n + 1 - position, added up over the tasks; where a pair was not run, its average stands in.
create function rank_models(grid leaderboard_score[]) returns table (
  model text,
  model_kind text,
  isolation text,
  unranked text,
  best_place bigint,
  average_best_rank double precision,
  best_borda double precision,
  last_place bigint,
  average_last_rank double precision,
  last_borda double precision,
  tasks bigint,
  scored_tasks bigint,
  attempts bigint,
  ended bigint,
  infra_errors bigint,
  config_errors bigint,
  cancelled bigint,
  suspects bigint,
  cost_usd numeric,
  cost_per_run_usd numeric,
  input_tokens numeric,
  output_tokens numeric
) language sql stable strict as $$
  with compared as (
    select
      count(distinct (l.model, l.model_kind, l.isolation)) + (count(l.baseline) > 0)::integer as methods,
      count(distinct l.task) as tasks
    from unnest(grid) l where l.compared
  ),
  totals as (
    select
      l.model, l.model_kind, l.isolation, l.unranked,
      avg(l.best_rank) as average_best_rank, avg(l.last_rank) as average_last_rank,
      count(*) as tasks, count(l.best_attempt) as scored_tasks,
      sum(l.attempts)::bigint as attempts, sum(l.ended)::bigint as ended,
      sum(l.infra_errors)::bigint as infra_errors, sum(l.config_errors)::bigint as config_errors,
      sum(l.cancelled)::bigint as cancelled, sum(l.suspects)::bigint as suspects,
      sum(l.cost_usd) as cost_usd, sum(l.input_tokens) as input_tokens, sum(l.output_tokens) as output_tokens
    from unnest(grid) l
    group by l.model, l.model_kind, l.isolation, l.unranked
  )
  select
    t.model, t.model_kind, t.isolation, t.unranked,
    case when t.average_best_rank is not null then
      rank() over (partition by t.average_best_rank is null order by t.average_best_rank)
    end,
    t.average_best_rank,
    (c.methods + 1 - t.average_best_rank) * c.tasks,
    case when t.average_last_rank is not null then
      rank() over (partition by t.average_last_rank is null order by t.average_last_rank)
    end,
    t.average_last_rank,
    (c.methods + 1 - t.average_last_rank) * c.tasks,
    t.tasks, t.scored_tasks, t.attempts, t.ended, t.infra_errors, t.config_errors, t.cancelled, t.suspects,
    t.cost_usd, t.cost_usd / nullif(t.ended, 0), t.input_tokens, t.output_tokens
  from totals t cross join compared c
$$;
--> statement-breakpoint
-- What is compared: methods that rank, and each task's baseline as one more method. The method is model, kind and isolation.
create function compared_cells(grid leaderboard_score[]) returns score_cell[] language sql stable strict as $$
  with cells as (
    select
      jsonb_build_array(l.model, l.model_kind, l.isolation)::text as method, false as is_baseline,
      l.task, l.direction, l.baseline, l.best_attempt, l.best_submission, l.ran
    from unnest(grid) l where l.compared
    union all
    select 'baseline', true, l.task, max(l.direction), max(l.baseline), max(l.baseline), max(l.baseline), true
    from unnest(grid) l
    where l.compared and exists (select from unnest(grid) known where known.compared and known.baseline is not null)
    group by l.task
  )
  select array_agg(row(c.*)::score_cell order by c.is_baseline, c.method, c.task) from cells c
$$;
--> statement-breakpoint
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
  best_borda double precision,
  last_place bigint,
  average_last_rank double precision,
  last_borda double precision,
  tasks bigint,
  scored_tasks bigint,
  attempts bigint,
  ended bigint,
  infra_errors bigint,
  config_errors bigint,
  cancelled bigint,
  suspects bigint,
  cost_usd numeric,
  cost_per_run_usd numeric,
  input_tokens numeric,
  output_tokens numeric
) language sql stable as $$
  select m.* from rank_models((
    select array_agg(l) from leaderboard(
      for_batch, for_models, for_tasks, first_k, include_suspect, include_local, include_scripted
    ) l
  )) m
$$;
--> statement-breakpoint
create function leaderboard_cells(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false,
  include_local boolean default false,
  include_scripted boolean default false
) returns score_cell[] language sql stable as $$
  select compared_cells(array_agg(l)) from leaderboard(
    for_batch, for_models, for_tasks, first_k, include_suspect, include_local, include_scripted
  ) l
$$;
--> statement-breakpoint
drop function performance_ratios;
--> statement-breakpoint
-- One row per (kind, task, method); kind: best or last. A task that no method solves has no ratios and leaves the profiles.
create function performance_ratios(
  cells score_cell[],
  epsilon double precision default 0.05
) returns table (
  kind text,
  task text,
  method text,
  is_baseline boolean,
  score double precision,
  status text,
  ratio double precision,
  best_feasible double precision,
  worst_feasible double precision,
  worst_ratio double precision,
  penalty_ratio double precision,
  tau_ceil double precision
) language sql stable strict as $$
  with scored as (
    select
      k.kind, c.task, c.method, c.is_baseline, c.direction, c.baseline, c.ran,
      case k.kind when 'best' then c.best else c.last end as score
    from unnest(cells) c cross join (values ('best'), ('last')) k (kind)
  ),
  judged as (
    select
      s.*,
      case
        when s.score is null then case when s.ran then 'missing' else 'not_run' end
        -- Ratios of zero or less say nothing, and those of absurd scores would be beyond all numbers.
        when s.score < 1e-100 or s.score > 1e100 then 'infeasible'
        when s.direction = 'maximize' and s.score < s.baseline then 'infeasible'
        when s.direction = 'minimize' and s.score > s.baseline then 'infeasible'
        else 'feasible'
      end as status
    from scored s
  ),
  extremes as (
    select
      j.kind, j.task,
      case j.direction when 'maximize' then max(j.score) else min(j.score) end as best,
      case j.direction when 'maximize' then min(j.score) else max(j.score) end as worst,
      max(j.score) / min(j.score) as worst_ratio
    from judged j where j.status = 'feasible' group by j.kind, j.task, j.direction
  )
  select
    j.kind, j.task, j.method, j.is_baseline, j.score, j.status,
    case
      when j.status <> 'feasible' then e.worst_ratio * (1 + epsilon)
      when j.direction = 'maximize' then e.best / j.score
      else j.score / e.best
    end,
    e.best, e.worst, e.worst_ratio, e.worst_ratio * (1 + epsilon), ceil(e.worst_ratio * (1 + epsilon))
  from judged j left join extremes e on e.kind = j.kind and e.task = j.task
$$;
--> statement-breakpoint
-- Positions per task, from 1; equal scores, and the missing ones at the end, share the mean of their positions. Not run: none.
create or replace function comparison_ranks(cells score_cell[]) returns table (
  kind text,
  task text,
  method text,
  is_baseline boolean,
  score double precision,
  place double precision
) language sql stable strict as $$
  with scored as (
    select
      k.kind, c.task, c.method, c.is_baseline, c.ran,
      case k.kind when 'best' then c.best else c.last end as score,
      case c.direction when 'maximize' then -1 else 1 end * case k.kind when 'best' then c.best else c.last end as key
    from unnest(cells) c cross join (values ('best'), ('last')) k (kind)
  )
  select
    s.kind, s.task, s.method, s.is_baseline, s.score,
    case when s.ran then
      rank() over (partition by s.kind, s.task, s.ran order by s.key nulls last)
      + (count(*) over (partition by s.kind, s.task, s.ran, s.key) - 1) / 2.0
    end
  from scored s
$$;
--> statement-breakpoint
-- Over all tasks. Borda points: n + 1 - position, added up; they give the same order as the average, which stands in where a method was not run.
create or replace function average_ranks(cells score_cell[]) returns table (
  kind text,
  method text,
  is_baseline boolean,
  average_rank double precision,
  borda double precision
) language sql stable strict as $$
  select r.kind, r.method, r.is_baseline, avg(r.place), (n.methods + 1 - avg(r.place)) * n.tasks
  from comparison_ranks(cells) r
  cross join (select count(distinct c.method) as methods, count(distinct c.task) as tasks from unnest(cells) c) n
  group by r.kind, r.method, r.is_baseline, n.methods, n.tasks
$$;
--> statement-breakpoint
-- compat: the left sum over a grid of that many points, not normalised, failures at a finite penalty, as MLGym-Bench published it.
-- strict: the exact area, failures never solved, divided by the axis: 0 to 1. Tasks at which only the infrastructure failed are no part of it.
-- fixed_axis: a length of the axis; 0: that of the data, profile_axis(). A ratio beyond the axis adds nothing.
create or replace function areas_under_profiles(
  cells score_cell[],
  epsilon double precision default 0.05,
  points integer default 500,
  fixed_axis double precision default 0
) returns table (
  method text,
  is_baseline boolean,
  axis double precision,
  best_aup double precision,
  last_aup double precision,
  best_aup_strict double precision,
  last_aup_strict double precision,
  tasks integer,
  best_feasible integer,
  last_feasible integer,
  missing integer,
  not_run integer
) language sql stable strict as $$
  with ratios as materialized (
    select r.*, log(r.ratio) as log_ratio from performance_ratios(cells, epsilon) r where r.ratio is not null
  ),
  axis as materialized (
    select coalesce(nullif(fixed_axis, 0), ceil(10 * log(max(r.tau_ceil))) / 10) as length from ratios r
  ),
  -- The first point of the grid at which the task counts; rounding may have missed it by one.
  reached as (
    select
      r.*, a.length,
      case
        when a.length = 0 then 0
        when (near.point - 1) * a.length / (points - 1) >= r.log_ratio then near.point - 1
        when near.point * a.length / (points - 1) >= r.log_ratio then near.point
        else near.point + 1
      end as point
    from ratios r cross join axis a
    cross join lateral (
      select case when a.length = 0 then 0 else ceil(r.log_ratio * (points - 1) / a.length) end as point
    ) near
  ),
  areas as (
    select
      r.kind, r.method, r.is_baseline, r.length,
      -- A step at point i adds the rest of the axis.
      sum(greatest(r.length - r.point * r.length / (points - 1), 0)) / count(*) as compat,
      sum(case r.status when 'feasible' then greatest(r.length - r.log_ratio, 0) else 0 end)
        / nullif(count(*) filter (where r.status <> 'not_run') * r.length, 0) as strict,
      count(*) filter (where r.status = 'feasible') as feasible,
      count(*) filter (where r.status = 'missing') as missing,
      count(*) filter (where r.status = 'not_run') as not_run,
      count(*) as tasks
    from reached r
    group by r.kind, r.method, r.is_baseline, r.length
  )
  select
    a.method, a.is_baseline, max(a.length),
    max(a.compat) filter (where a.kind = 'best'), max(a.compat) filter (where a.kind = 'last'),
    max(a.strict) filter (where a.kind = 'best'), max(a.strict) filter (where a.kind = 'last'),
    max(a.tasks)::integer,
    coalesce(max(a.feasible) filter (where a.kind = 'best'), 0)::integer,
    coalesce(max(a.feasible) filter (where a.kind = 'last'), 0)::integer,
    coalesce(max(a.missing) filter (where a.kind = 'best'), 0)::integer,
    coalesce(max(a.not_run) filter (where a.kind = 'best'), 0)::integer
  from areas a
  group by a.method, a.is_baseline
$$;
--> statement-breakpoint
comment on table comparison_sets is 'Saved comparisons: models, tasks, k, axis and options of a leaderboard whose figures no new model or task may change.';
--> statement-breakpoint
comment on column comparison_sets.axis is 'Length of the profiles'' axis, in log10 units of the ratio to the best.';
--> statement-breakpoint
comment on type leaderboard_score is 'One model at one task of the leaderboard; compared: it is part of the ratios and positions.';
--> statement-breakpoint
comment on view leaderboard_entries is 'Per batch, model, isolation and task: best attempt and best submission over runs, suspect scores left out.';
--> statement-breakpoint
comment on view overall_leaderboard_entries is 'As leaderboard_entries, over all batches.';
--> statement-breakpoint
comment on function leaderboard is 'Models x tasks with positions, the baseline among them; rows of isolation none and of what is no model have a position only on request.';
--> statement-breakpoint
comment on function leaderboard_models is 'One row per model: average rank and Borda points over the tasks of leaderboard().';
--> statement-breakpoint
comment on function rank_models is 'leaderboard_models() of a grid that leaderboard() made.';
--> statement-breakpoint
comment on function compared_cells is 'leaderboard_cells() of a grid that leaderboard() made: what the functions of profiles and ranks take.';
--> statement-breakpoint
comment on function leaderboard_cells is 'What a leaderboard compares, for performance_ratios(), areas_under_profiles(), comparison_ranks(), average_ranks().';
--> statement-breakpoint
comment on function leaderboard_scores is 'The entries for chosen batch, models, tasks; first_k: only the first k counted runs of each.';
--> statement-breakpoint
comment on function performance_ratios is 'Feasibility and performance ratio of each cell (docs/leaderboard.md).';
--> statement-breakpoint
comment on function areas_under_profiles is 'AUP of each method, compat and strict, with the length of the axis and how many tasks were solved, missing, not run.';
--> statement-breakpoint
comment on function average_ranks is 'Average position and Borda points of each method, by best and by last scores.';
