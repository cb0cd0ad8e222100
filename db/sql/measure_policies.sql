-- Episodes count for the policy that began them, actions for the one that chose them.
create function measure_policies(batch text) returns table (
  policy_version integer,
  episodes integer,
  ended integer,
  rewarded integer,
  reward double precision,
  reward_std double precision,
  reward_min double precision,
  reward_max double precision,
  gain double precision,
  groups integer,
  frac_reward_zero_std double precision,
  terminated integer,
  is_truncated double precision,
  truncations jsonb,
  errored_rollouts integer,
  abandoned integer,
  masked integer,
  num_turns double precision,
  reply_chars double precision,
  reply_tokens double precision,
  validations double precision,
  tools_call_frequency double precision,
  tools_failure_frequency double precision,
  format_error_share double precision,
  actions integer,
  staleness double precision,
  staleness_max integer,
  think_ms double precision,
  queue_ms double precision,
  command_ms double precision,
  evaluation_ms double precision,
  platform_ms double precision,
  reset_ms double precision,
  first_command_ms double precision,
  fork_ms double precision
) language sql stable as $$
  with ids as materialized (
    select array(select r.run_id from runs r where r.batch_id = batch) as ids
  ),
  measured as materialized (
    select m.* from ids i cross join lateral measure_episodes(i.ids) m
  ),
  timed as materialized (
    select t.* from ids i cross join lateral episode_times(i.ids) t
  ),
  -- Of all versions that the batch has seen by the end of an episode the latest: with it one would train on that episode.
  seen as (
    select m.created_at as at, m.policy_version as version, null as run_id from measured m
    union all
    select a.created_at, a.policy_version, null from measured m join episode_actions a on a.run_id = m.run_id
    union all
    select coalesce(m.ended_at, 'infinity'), null, m.run_id from measured m
  ),
  latest as (
    select s.run_id, max(s.version) over (order by s.at, s.run_id nulls first rows between unbounded preceding and current row) as version
    from seen s
  ),
  current as materialized (
    select l.run_id, l.version from latest l where l.run_id is not null
  ),
  by_action as (
    select
      t.policy_version, count(*)::integer as actions, avg(c.version - t.policy_version)::float8 as staleness,
      max(c.version - t.policy_version) as staleness_max, avg(t.think_ms) as think_ms,
      avg(t.queue_ms) filter (where t.seq = 1) as queue_ms, avg(t.command_ms) as command_ms,
      avg(t.evaluation_ms) as evaluation_ms, avg(t.platform_ms) as platform_ms
    from timed t join current c on c.run_id = t.run_id
    group by t.policy_version
  ),
  grouped as (
    select g.policy_version, count(g.zero_spread)::integer as groups, avg(g.zero_spread::integer)::float8 as zero_spread
    from (
      select m.policy_version, case when count(m.reward) > 1 then min(m.reward) = max(m.reward) end as zero_spread
      from measured m
      group by m.policy_version, m.task, m.group_key, case when m.group_key is null then m.seed end
    ) g
    group by g.policy_version
  ),
  truncated as (
    select c.policy_version, jsonb_object_agg(c.truncation_cause, c.episodes) as causes
    from (
      select m.policy_version, m.truncation_cause, count(*) as episodes
      from measured m where m.truncation_cause is not null group by m.policy_version, m.truncation_cause
    ) c
    group by c.policy_version
  ),
  by_episode as (
    select
      m.policy_version, count(*)::integer as episodes, (count(*) filter (where m.status = 'ended'))::integer as ended,
      count(m.reward)::integer as rewarded, avg(m.reward) as reward, stddev_pop(m.reward) as reward_std,
      min(m.reward) as reward_min, max(m.reward) as reward_max, avg(m.gain) as gain,
      (count(*) filter (where m.is_terminated))::integer as terminated,
      avg(m.is_truncated::integer) filter (where m.status = 'ended')::float8 as is_truncated,
      (count(*) filter (where m.errored))::integer as errored, (count(*) filter (where m.abandoned))::integer as abandoned,
      (count(*) filter (where m.masked))::integer as masked, avg(m.num_turns)::float8 as num_turns,
      avg(m.reply_chars)::float8 as reply_chars, avg(m.reply_tokens)::float8 as reply_tokens,
      avg(m.validations)::float8 as validations, avg(m.commands)::float8 as call_frequency,
      sum(m.failed_commands)::float8 / nullif(sum(m.commands), 0) as failure_frequency,
      sum(m.format_errors)::float8 / nullif(sum(m.num_turns), 0) as format_error_share,
      avg(m.reset_ms) as reset_ms, avg(m.first_command_ms) as first_command_ms, avg(m.fork_ms) as fork_ms
    from measured m
    group by m.policy_version
  )
  select
    v.policy_version, coalesce(e.episodes, 0), coalesce(e.ended, 0), coalesce(e.rewarded, 0), e.reward, e.reward_std, e.reward_min, e.reward_max,
    e.gain, coalesce(g.groups, 0), g.zero_spread, coalesce(e.terminated, 0), e.is_truncated, coalesce(u.causes, '{}'),
    coalesce(e.errored, 0), coalesce(e.abandoned, 0), coalesce(e.masked, 0), e.num_turns, e.reply_chars, e.reply_tokens, e.validations,
    e.call_frequency, e.failure_frequency, e.format_error_share, coalesce(a.actions, 0), a.staleness, a.staleness_max,
    a.think_ms, a.queue_ms, a.command_ms, a.evaluation_ms, a.platform_ms, e.reset_ms, e.first_command_ms, e.fork_ms
  from (select m.policy_version from measured m union select t.policy_version from timed t) v
  left join by_episode e on e.policy_version is not distinct from v.policy_version
  left join by_action a on a.policy_version is not distinct from v.policy_version
  left join grouped g on g.policy_version is not distinct from v.policy_version
  left join truncated u on u.policy_version is not distinct from v.policy_version
$$;

comment on function measure_policies is 'Figures of a batch by policy version: of the episodes that it began, and of the actions that it chose (actions, staleness, times). Means, unless they are counts or shares.';
