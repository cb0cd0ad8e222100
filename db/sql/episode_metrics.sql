create view episode_metrics as
  select b.batch_id, m.run_id, m.episode_id, m.task, m.group_key, m.seed, m.protocol, m.policy_version, m.last_policy_version, m.status,
    m.end_reason, m.reward, m.gain, m.fault, m.is_terminated, m.is_truncated, m.truncation_cause, m.errored, m.abandoned, m.masked,
    m.num_turns, m.steps, m.format_errors, m.reply_chars, m.reply_tokens, m.commands, m.failed_commands, m.validations,
    m.reset_ms, m.queue_ms, m.first_command_ms, m.fork_ms, m.created_at, m.ended_at
  from batches b
  cross join lateral measure_episodes(array(select r.run_id from runs r where r.batch_id = b.batch_id)) m
  where b.training;

comment on view episode_metrics is 'Figures of each episode; name its batch_id, or every batch is computed. See measure_episodes().';
