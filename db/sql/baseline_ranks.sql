create function baseline_ranks(grid leaderboard_score[]) returns table (
  average_best_rank double precision,
  average_last_rank double precision
) language sql stable strict as $$
  with tasks as (
    select l.task, max(l.baseline_best_rank) as best_rank, max(l.baseline_last_rank) as last_rank
    from unnest(grid) l where l.compared group by l.task
  )
  select avg(t.best_rank), avg(t.last_rank) from tasks t having count(t.best_rank) > 0
$$;

comment on function baseline_ranks is 'Average rank of the baselines in a grid that leaderboard() made; as average_ranks() has them.';
