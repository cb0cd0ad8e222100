-- Over all tasks.
create function average_ranks(cells score_cell[]) returns table (
  kind text,
  method text,
  is_baseline boolean,
  average_rank double precision
) language sql stable strict as $$
  select r.kind, r.method, r.is_baseline, avg(r.place)
  from comparison_ranks(cells) r
  group by r.kind, r.method, r.is_baseline
$$;

comment on function average_ranks is 'Average position of each method, by best and by last scores.';
