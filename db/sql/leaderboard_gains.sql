create function leaderboard_gains(
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
  task text,
  baseline double precision,
  standard_error double precision,
  target double precision,
  best_gain double precision,
  last_gain double precision,
  improved_attempts bigint,
  attempts bigint
) language sql stable as $$
  select
    l.model, l.model_kind, l.isolation, l.task, l.baseline, l.standard_error, l.target,
    avg(a.best), avg(a.last), count(*) filter (where a.best > 0), count(*)
  from leaderboard(
    for_batch, for_models, for_tasks, first_k, include_suspect, include_local, include_scripted
  ) l
  cross join lateral (
    select
      attempt_gain(s.best, l.direction, l.baseline, l.standard_error, l.target) as best,
      attempt_gain(s.last, l.direction, l.baseline, l.standard_error, l.target) as last
    -- A model that was not submitted for the task is missing there, as with one attempt without a score.
    from unnest(
      coalesce(nullif(l.best_attempts, '{}'), array[null::double precision]),
      coalesce(nullif(l.last_attempts, '{}'), array[null::double precision])
    ) s (best, last)
  ) a
  where l.compared and l.ran
  group by l.model, l.model_kind, l.isolation, l.task, l.baseline, l.standard_error, l.target
$$;

comment on function leaderboard_gains is 'Mean gain of each compared model at each task that it ran, and how many attempts gain anything.';
