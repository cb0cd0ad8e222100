import type { MetricFamily, Sample } from './prometheus.js';
import type { EpisodeStates, PolicyMetrics } from '../views/training.js';

/** Training makes thousands of versions, and Prometheus keeps each for its whole retention. */
const NEWEST = 16;

const FIGURES = [
  ['reward', 'reward', 'Mean reward of the episodes that a policy version started.'],
  ['reward_std', 'reward_std', 'Standard deviation of the rewards of these episodes.'],
  ['gain', 'gain', 'Mean gain over the baseline of the last valid evaluation of an episode.'],
  ['zero_std_groups_ratio', 'frac_reward_zero_std', 'Ratio of groups of episodes in which all rewards are equal.'],
  ['truncated_ratio', 'is_truncated', 'Ratio of ended episodes that were truncated.'],
  ['errored_episodes', 'errored_rollouts', 'Episodes that an infrastructure fault ended.'],
  ['masked_episodes', 'masked', 'Episodes that ended without a reward.'],
  ['turns', 'num_turns', 'Mean number of actions in an episode.'],
  ['reply_characters', 'reply_chars', 'Mean number of characters of all replies in an episode.'],
  ['reply_tokens', 'reply_tokens', 'Mean number of tokens of all replies in an episode.'],
  ['validations', 'validations', 'Mean number of validations in an episode.'],
  ['failed_commands_ratio', 'tools/failure_frequency', 'Ratio of commands that failed.'],
  ['format_errors_ratio', 'format_error_share', 'Ratio of replies that could not be parsed.'],
  [
    'staleness_versions',
    'staleness',
    'Mean number of versions by which the trainer was ahead of the policy that chose an action.',
  ],
] as const satisfies readonly (readonly [name: string, key: keyof PolicyMetrics, help: string])[];

const PARTS = ['think', 'queue', 'command', 'evaluation', 'platform', 'reset', 'first_command', 'fork'] as const;

/** By policy version: the newest ones only. */
export function trainingFamilies(policies: readonly PolicyMetrics[], states: EpisodeStates): MetricFamily[] {
  const newest = policies.slice(-NEWEST);
  const gauge = (name: string, help: string, samples: Sample[]): MetricFamily => ({
    name,
    type: 'gauge',
    help,
    samples,
  });
  const label = ({ policy_version: version }: PolicyMetrics) => ({
    policy_version: version === null ? 'none' : String(version),
  });
  return [
    gauge('bench_episode_slots', 'Maximum number of open episodes.', [{ value: states.slots }]),
    gauge(
      'bench_episodes_open',
      'Open episodes by state.',
      Object.entries(states.open).map(([state, value]) => ({ labels: { state }, value })),
    ),
    {
      name: 'bench_episodes_ended_total',
      type: 'counter',
      help: 'Episodes that ended, by end reason.',
      samples: Object.entries(states.ended).map(([reason, value]) => ({ labels: { end_reason: reason }, value })),
    },
    {
      name: 'bench_episode_actions_total',
      type: 'counter',
      help: 'Actions that policies took.',
      samples: [{ value: policies.reduce((sum, { actions }) => sum + actions, 0) }],
    },
    ...FIGURES.map(([name, key, help]) =>
      gauge(
        `bench_training_${name}`,
        help,
        newest.flatMap((policy) => (policy[key] === null ? [] : [{ labels: label(policy), value: policy[key] }])),
      ),
    ),
    gauge(
      'bench_training_duration_seconds',
      'Mean duration of the parts of actions and episodes.',
      newest.flatMap((policy) =>
        PARTS.flatMap((part) => {
          const ms = policy[`${part}_ms`];
          return ms === null ? [] : [{ labels: { ...label(policy), part }, value: ms / 1000 }];
        }),
      ),
    ),
  ];
}
