-- As jsonb would write the array, in half the time.
create function compared_cells(grid leaderboard_score[]) returns score_cell[] language sql stable strict as $$
  with cells as (
    select
      '[' || to_json(l.model) || ', "' || l.model_kind || '", "' || l.isolation || '"]' as method, false as is_baseline,
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

comment on function compared_cells is 'leaderboard_cells() of a grid that leaderboard() made: what the functions of profiles and ranks take.';
