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

comment on function leaderboard_cells is 'What a leaderboard compares, for performance_ratios(), areas_under_profiles(), comparison_ranks(), average_ranks().';
