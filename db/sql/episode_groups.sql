create view episode_groups as
  select
    b.batch_id, g.policy_version, g.task, g.group_key, g.seed, g.episodes, g.ended, g.rewarded, g.reward, g.reward_std,
    g.reward_min, g.reward_max, g.zero_spread
  from batches b cross join lateral group_episodes(b.batch_id) g
  where b.training;

comment on view episode_groups is 'Groups of episodes and the spread of their rewards; name the batch_id. See group_episodes().';
