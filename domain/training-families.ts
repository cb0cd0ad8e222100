import type { MetricFamily, Sample } from './metrics.js';
import type { EpisodeStates, PolicyMetrics } from './views/training.js';

/** Versions that have series: training makes thousands, and Prometheus keeps each for its whole retention. */
const NEWEST = 16;

const FIGURES = [
  ['reward', 'reward', 'Mean reward of the episodes that a policy version began.'],
  ['reward_std', 'reward_std', 'Standard deviation of their rewards.'],
  ['gain', 'gain', 'Mean gain of their last valid evaluations over the baseline.'],
  ['frac_reward_zero_std', 'frac_reward_zero_std', 'Share of their groups in which all rewards are equal.'],
  ['is_truncated', 'is_truncated', 'Share of their ended episodes that were truncated.'],
  ['errored_rollouts', 'errored_rollouts', 'Episodes ended by a fault of the infrastructure.'],
  ['masked_rollouts', 'masked', 'Episodes that ended without a reward.'],
  ['num_turns', 'num_turns', 'Mean number of actions.'],
  ['reply_characters', 'reply_chars', 'Mean characters of all replies of an episode.'],
  ['reply_tokens', 'reply_tokens', 'Mean tokens of all replies of an episode.'],
  ['validations', 'validations', 'Mean number of validations.'],
  ['tools_failure_frequency', 'tools/failure_frequency', 'Share of commands that failed.'],
  ['format_error_share', 'format_error_share', 'Share of replies that could not be used.'],
  ['staleness', 'staleness', 'Mean versions that the trainer was ahead of the actions of a policy version.'],
] as const satisfies readonly (readonly [name: string, key: keyof PolicyMetrics, help: string])[];

const PARTS = ['think', 'queue', 'command', 'evaluation', 'platform', 'reset', 'first_command', 'fork'] as const;

/** Figures of a server of episodes for Prometheus. Those by policy version: of the newest ones. */
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
    gauge('bench_episode_slots', 'Episodes that may be open at once.', [{ value: states.slots }]),
    gauge(
      'bench_episodes_open',
      'Open episodes by what they wait for.',
      Object.entries(states.open).map(([state, value]) => ({ labels: { state }, value })),
    ),
    {
      name: 'bench_episodes_ended_total',
      type: 'counter',
      help: 'Ended episodes by end reason.',
      samples: Object.entries(states.ended).map(([reason, value]) => ({ labels: { end_reason: reason }, value })),
    },
    {
      name: 'bench_actions_total',
      type: 'counter',
      help: 'Actions taken.',
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
      'bench_training_seconds',
      'Mean time of actions and episodes of a policy version, by part.',
      newest.flatMap((policy) =>
        PARTS.flatMap((part) => {
          const ms = policy[`${part}_ms`];
          return ms === null ? [] : [{ labels: { ...label(policy), part }, value: ms / 1000 }];
        }),
      ),
    ),
  ];
}
