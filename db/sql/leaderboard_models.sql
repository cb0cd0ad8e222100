create function leaderboard_models(
  for_batch text default null,
  for_models text[] default null,
  for_tasks text[] default null,
  first_k integer default null,
  include_suspect boolean default false,
  include_local boolean default false,
  include_scripted boolean default false
) returns table (
  model text,
  model_kind text,
  isolation text,
  unranked text,
  best_place bigint,
  average_best_rank double precision,
  last_place bigint,
  average_last_rank double precision,
  tasks bigint,
  scored_tasks bigint,
  attempts bigint,
  ended bigint,
  infra_errors bigint,
  config_errors bigint,
  cancelled bigint,
  refused bigint,
  suspects bigint,
  cost_usd numeric,
  cost_per_run_usd numeric,
  input_tokens numeric,
  output_tokens numeric
) language sql stable as $$
  select m.* from rank_models((
    select array_agg(l) from leaderboard(
      for_batch, for_models, for_tasks, first_k, include_suspect, include_local, include_scripted
    ) l
  )) m
$$;

comment on function leaderboard_models is 'One row per model: average rank over the tasks of leaderboard().';
