create function episode_returns(run_ids text[] default null, request jsonb default '{"mode": "delta_prev"}', stored boolean default false) returns table (
  run_id text,
  reward double precision,
  gain double precision,
  steps integer,
  format_errors integer,
  fault text
) language sql stable as $$
  select
    e.run_id, case when a.status = 'ended' and e.fault is null then e.reward end, e.gain, e.steps, e.format_errors, e.fault
  from (
    select
      s.run_id, sum(s.reward order by s.step) as reward, (array_agg(s.gain order by s.step desc) filter (where s.gain is not null))[1] as gain,
      count(*) filter (where s.step > 0)::integer as steps, sum(s.format_errors)::integer as format_errors,
      (array_agg(s.fault order by s.step desc))[1] as fault
    from episode_rewards(run_ids, request, stored) s
    group by s.run_id
  ) e
  join runs a on a.run_id = e.run_id
$$;

comment on function episode_returns is 'Sums of episode_rewards(): rewards of these runs (null: all).';
