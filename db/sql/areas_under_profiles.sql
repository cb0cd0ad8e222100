-- compat: the left sum over a grid of that many points, not normalised, failures at a finite penalty, as MLGym-Bench published it.
-- strict: the exact area, without failures, divided by the axis: 0 to 1. Tasks at which only the infrastructure failed are no part of it.
-- fixed_axis: a length of the axis; 0: that of the data, profile_axis(). A ratio beyond the axis adds nothing.
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

comment on function areas_under_profiles is 'AUP of each method, compat and strict, with the length of the axis and how many tasks have a feasible score, none, or were not run.';
