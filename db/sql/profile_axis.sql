-- Length of the axis, in log10 units: shared by the best and the last profiles.
create function profile_axis(cells score_cell[], epsilon double precision default 0.05) returns double precision
language sql stable strict as $$
  select ceil(10 * log(max(tau_ceil)::double precision)) / 10 from performance_ratios(cells, epsilon)
$$;

comment on function profile_axis is 'T: length of the axis of performance profiles, in log10 units of the ratio to the best.';
