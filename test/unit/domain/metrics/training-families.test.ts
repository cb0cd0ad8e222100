import { describe, expect, it } from 'vitest';
import { renderMetrics } from '../../../../domain/metrics/prometheus.js';
import { trainingFamilies } from '../../../../domain/metrics/training-families.js';
import type { EpisodeStates, PolicyMetrics } from '../../../../domain/views/training.js';

/** Figures of a policy version of which nothing is known but what is given. */
const policy = (version: number | null, more: Partial<PolicyMetrics> = {}): PolicyMetrics => ({
  ...{ policy_version: version, episodes: 4, ended: 4, rewarded: 4 },
  ...{
    reward: null,
    reward_std: null,
    reward_min: null,
    reward_max: null,
    gain: null,
    groups: 0,
    frac_reward_zero_std: null,
  },
  ...{ terminated: 0, is_truncated: null, truncations: {}, errored_rollouts: 0, abandoned: 0, masked: 0 },
  ...{ num_turns: null, reply_chars: null, reply_tokens: null, validations: null },
  ...{ 'tools/call_frequency': null, 'tools/failure_frequency': null, format_error_share: null },
  ...{ actions: 0, staleness: null, staleness_max: null },
  ...{ think_ms: null, queue_ms: null, command_ms: null, evaluation_ms: null, platform_ms: null },
  ...{ reset_ms: null, first_command_ms: null, fork_ms: null },
  ...more,
});

const STATES: EpisodeStates = {
  slots: 64,
  open: { idle: 1, waiting: 2, active: 3, detached: 4 },
  ended: { submit: 10, infra_error: 1 },
};
const linesOf = (policies: Parameters<typeof trainingFamilies>[0]) =>
  renderMetrics(trainingFamilies(policies, STATES))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

describe('figures of a server of episodes', () => {
  it('tell slots, what open episodes wait for, and how ended ones ended', () => {
    const lines = linesOf([]);
    for (const line of [
      'bench_episode_slots 64',
      'bench_episodes_open{state="detached"} 4',
      'bench_episodes_ended_total{end_reason="infra_error"} 1',
      'bench_episode_actions_total 0',
    ])
      expect(lines).toContain(line);
  });

  it('have a series per policy version, without those that are not known', () => {
    const lines = linesOf([
      policy(null, { reward: 0.5, actions: 2 }),
      policy(7, { gain: 0.25, think_ms: 1500, actions: 3 }),
    ]);
    expect(lines).toContain('bench_training_reward{policy_version="none"} 0.5');
    expect(lines.filter((line) => line.startsWith('bench_training_reward{'))).toHaveLength(1);
    expect(lines).toContain('bench_training_duration_seconds{policy_version="7",part="think"} 1.5');
    expect(lines).toContain('bench_episode_actions_total 5');
  });

  it('keep to the newest versions', () => {
    const lines = linesOf(Array.from({ length: 100 }, (_, version) => policy(version, { reward: version })));
    const rewards = lines.filter((line) => line.startsWith('bench_training_reward{'));
    expect(rewards).toHaveLength(16);
    expect(rewards.at(-1)).toBe('bench_training_reward{policy_version="99"} 99');
  });
});
