-- Over all tasks. Borda points: n + 1 - position, added up; they give the same order as the average, which stands in where a method was not run.
create function average_ranks(cells score_cell[]) returns table (
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

comment on function average_ranks is 'Average position and Borda points of each method, by best and by last scores.';
