-- Without a group of their own, episodes of one task and seed are compared with each other.
create function group_episodes(batch text) returns table (
  policy_version integer,
  task text,
  group_key text,
  seed bigint,
  episodes integer,
  ended integer,
  rewarded integer,
  reward double precision,
  reward_std double precision,
  reward_min double precision,
  reward_max double precision,
  zero_spread boolean
) language sql stable as $$
  select
    m.policy_version, m.task, m.group_key, case when m.group_key is null then m.seed end, count(*)::integer,
    (count(*) filter (where m.status = 'ended'))::integer, count(m.reward)::integer, avg(m.reward), stddev_pop(m.reward),
    min(m.reward), max(m.reward), case when count(m.reward) > 1 then min(m.reward) = max(m.reward) end
  from measure_episodes(array(select r.run_id from runs r where r.batch_id = batch)) m
  group by m.policy_version, m.task, m.group_key, case when m.group_key is null then m.seed end
$$;

comment on function group_episodes is 'Groups of a batch: rewards of the episodes that one policy began with one task and group key (none: task and seed). zero_spread: all equal; null: fewer than two.';
