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

comment on function performance_profiles is 'The step functions at evenly spaced points: share of tasks with log10(ratio) <= tau.';
