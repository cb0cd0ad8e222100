create function baseline_ranks(grid leaderboard_score[]) returns table (
  average_best_rank double precision,
  best_borda double precision,
  average_last_rank double precision,
  last_borda double precision
) language sql stable strict as $$
  with compared as (
    select count(*) + 1 as methods
    from (select distinct l.model, l.model_kind, l.isolation from unnest(grid) l where l.compared) m
  ),
  tasks as (
    select l.task, max(l.baseline_best_rank) as best_rank, max(l.baseline_last_rank) as last_rank
    from unnest(grid) l where l.compared group by l.task
  )
  select
    avg(t.best_rank), (c.methods + 1 - avg(t.best_rank)) * count(*),
    avg(t.last_rank), (c.methods + 1 - avg(t.last_rank)) * count(*)
  from tasks t cross join compared c
  group by c.methods having count(t.best_rank) > 0
$$;

comment on function baseline_ranks is 'Average rank and Borda points of the baselines in a grid that leaderboard() made; as average_ranks() has them.';
