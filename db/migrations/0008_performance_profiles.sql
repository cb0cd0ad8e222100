-- Performance profiles and the areas under them (AUP), ranks and Borda points: pure functions of a comparison. docs/leaderboard.md gives the formulas.
-- All are strict, which keeps them from being inlined: what they are given is computed once.
-- A cell is one method at one task; ran is false where only the infrastructure failed, so that nothing is known of the method.
create type score_cell as (
  method text,
  is_baseline boolean,
  task text,
  direction text,
  baseline double precision,
  best double precision,
  last double precision,
  ran boolean
);
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
  tau_ceil integer
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
        -- Ratios of zero or less say nothing.
        when s.score <= 0 then 'infeasible'
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
    e.best, e.worst, e.worst_ratio, e.worst_ratio * (1 + epsilon), ceil(e.worst_ratio * (1 + epsilon))::integer
  from judged j left join extremes e on e.kind = j.kind and e.task = j.task
$$;
--> statement-breakpoint
-- Length of the axis, in log10 units: shared by the best and the last profiles.
create function profile_axis(cells score_cell[], epsilon double precision default 0.05) returns double precision
language sql stable strict as $$
  select ceil(10 * log(max(tau_ceil)::double precision)) / 10 from performance_ratios(cells, epsilon)
$$;
--> statement-breakpoint
-- The step functions at evenly spaced points, for charts: share of tasks with log10(ratio) <= tau.
create function performance_profiles(
  cells score_cell[],
  epsilon double precision default 0.05,
  points integer default 500
) returns table (
  kind text,
  method text,
  is_baseline boolean,
  point integer,
  tau double precision,
  share double precision
) language sql stable strict as $$
  with ratios as materialized (select * from performance_ratios(cells, epsilon) r where r.ratio is not null),
  axis as materialized (select profile_axis(cells, epsilon) as length),
  grid as materialized (select i as point, i * axis.length / (points - 1) as tau from axis, generate_series(0, points - 1) i)
  select
    r.kind, r.method, r.is_baseline, g.point, g.tau,
    (count(*) filter (where log(r.ratio) <= g.tau))::double precision / count(*)
  from ratios r cross join grid g
  group by r.kind, r.method, r.is_baseline, g.point, g.tau
$$;
--> statement-breakpoint
-- compat: the left sum over a grid of that many points, not normalised, failures at a finite penalty, as MLGym-Bench published it.
-- fixed_axis: a length of the axis for the strict areas; 0: that of the data.
-- strict: the exact area, failures never solved, divided by the axis: 0 to 1. Tasks at which only the infrastructure failed are no part of it.
create function areas_under_profiles(
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
  with axis as materialized (
    select
      profile_axis(cells, epsilon) as length,
      coalesce(nullif(fixed_axis, 0), profile_axis(cells, epsilon)) as strict_length
  ),
  ratios as materialized (
    select r.*, log(r.ratio) as log_ratio from performance_ratios(cells, epsilon) r where r.ratio is not null
  ),
  -- The first point of the grid at which the task counts; rounding may have missed it by one.
  reached as (
    select
      r.*, a.length, a.strict_length,
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
      sum(case r.status when 'feasible' then greatest(r.strict_length - r.log_ratio, 0) else 0 end)
        / nullif(count(*) filter (where r.status <> 'not_run') * r.strict_length, 0) as strict,
      count(*) filter (where r.status = 'feasible') as feasible,
      count(*) filter (where r.status = 'missing') as missing,
      count(*) filter (where r.status = 'not_run') as not_run,
      count(*) as tasks
    from reached r
    group by r.kind, r.method, r.is_baseline, r.length, r.strict_length
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
-- Positions per task, from 1; equal scores, and the missing ones at the end, share the mean of their positions.
create function comparison_ranks(cells score_cell[]) returns table (
  kind text,
  task text,
  method text,
  is_baseline boolean,
  score double precision,
  place double precision
) language sql stable strict as $$
  with scored as (
    select
      k.kind, c.task, c.method, c.is_baseline,
      case k.kind when 'best' then c.best else c.last end as score,
      case c.direction when 'maximize' then -1 else 1 end * case k.kind when 'best' then c.best else c.last end as key
    from unnest(cells) c cross join (values ('best'), ('last')) k (kind)
  )
  select
    s.kind, s.task, s.method, s.is_baseline, s.score,
    rank() over (partition by s.kind, s.task order by s.key nulls last)
      + (count(*) over (partition by s.kind, s.task, s.key) - 1) / 2.0
  from scored s
$$;
--> statement-breakpoint
-- Over all tasks. Borda points: n + 1 - position, added up; they give the same order as the average.
create function average_ranks(cells score_cell[]) returns table (
  kind text,
  method text,
  is_baseline boolean,
  average_rank double precision,
  borda double precision
) language sql stable strict as $$
  select r.kind, r.method, r.is_baseline, avg(r.place), sum(n.methods + 1 - r.place)
  from comparison_ranks(cells) r
  cross join (select count(distinct c.method) as methods from unnest(cells) c) n
  group by r.kind, r.method, r.is_baseline
$$;
--> statement-breakpoint
-- What the leaderboard compares: methods that rank, and each task's baseline as one more method. The method is model, kind and isolation.
create function leaderboard_cells(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false,
  include_local boolean default false,
  include_scripted boolean default false
) returns score_cell[] language sql stable as $$
  with grid as (
    select l.* from leaderboard(
      for_batch, for_models, for_tasks, first_k, include_suspect, include_local, include_scripted
    ) l where l.unranked is null
  ),
  cells as (
    select
      jsonb_build_array(g.model, g.model_kind, g.isolation)::text as method, false as is_baseline,
      g.task, g.direction, g.baseline, g.best_attempt, g.best_submission, g.counted > 0 or g.attempts = 0 as ran
    from grid g
    union all
    select 'baseline', true, g.task, max(g.direction), max(g.baseline), max(g.baseline), max(g.baseline), true
    from grid g where exists (select from grid known where known.baseline is not null) group by g.task
  )
  select array_agg(row(c.*)::score_cell order by c.is_baseline, c.method, c.task) from cells c
$$;
--> statement-breakpoint
comment on type score_cell is 'One method at one task of a comparison: the best of its attempts, and of its submissions; null: no score.';
--> statement-breakpoint
comment on function performance_ratios is 'Feasibility and performance ratio of each cell (docs/leaderboard.md).';
--> statement-breakpoint
comment on function areas_under_profiles is 'AUP of each method, compat and strict, with the length of the axis and how many tasks were solved, missing, not run.';
--> statement-breakpoint
comment on function comparison_ranks is 'Position of each method at each task.';
