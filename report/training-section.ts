import type { PolicyMetrics } from '../domain/views/training.js';
import { fixed, NONE, percent, plural, score } from './numbers.js';
import type { Section, SectionPart } from './section.js';
import { type Column, type ReportTable, tableOf } from './table.js';
import { endsChart, trainingCurves, type Versioned } from './training-charts.js';

const share = (value: number | null): string => (value === null ? NONE : percent(value));
const seconds = (ms: number | null): string => (ms === null ? NONE : `${fixed(ms / 1000)} s`);

function trainingTable(policies: readonly PolicyMetrics[]): ReportTable {
  const figure = (title: string, value: (policy: PolicyMetrics) => string): Column<PolicyMetrics> => ({
    ...{ title, value, align: 'right' },
  });
  return tableOf(
    'Episodes by the policy that started them, actions by the policy that chose them',
    [
      {
        title: 'policy version',
        value: ({ policy_version: version }) => (version === null ? 'not stated' : String(version)),
      },
      figure('episodes', ({ episodes }) => String(episodes)),
      figure('reward', ({ reward }) => score(reward)),
      figure('std', ({ reward_std: std }) => score(std)),
      figure('gain', ({ gain }) => score(gain)),
      figure('groups all equal', ({ frac_reward_zero_std: equal }) => share(equal)),
      figure('truncated', ({ is_truncated: truncated }) => share(truncated)),
      figure('errored', ({ errored_rollouts: errored }) => String(errored)),
      figure('masked', ({ masked }) => String(masked)),
      figure('turns', ({ num_turns: turns }) => fixed(turns, 1)),
      figure('unusable replies', ({ format_error_share: unusable }) => share(unusable)),
      figure('failed commands', (policy) => share(policy['tools/failure_frequency'])),
      figure('staleness', ({ staleness }) => fixed(staleness, 1)),
      figure('think', ({ think_ms: ms }) => seconds(ms)),
      figure('command', ({ command_ms: ms }) => seconds(ms)),
      figure('evaluation', ({ evaluation_ms: ms }) => seconds(ms)),
      figure('platform', ({ platform_ms: ms }) => seconds(ms)),
    ],
    policies,
  );
}

/** How training went, by policy version. */
export function trainingSection(policies: readonly PolicyMetrics[]): Section {
  const known = policies.filter((policy): policy is Versioned => policy.policy_version !== null);
  const unstated = policies.reduce((sum, one) => sum + (one.policy_version === null ? one.episodes : 0), 0);
  const { chart, entries } = endsChart(known);
  const charts: SectionPart[] =
    known.length === 0
      ? []
      : [
          ...trainingCurves(known).map((curve): SectionPart => ({ kind: 'chart', chart: curve })),
          { kind: 'chart', chart, legend: { entries, form: 'area' } },
        ];
  return {
    id: 'training',
    title: 'Training',
    parts: [
      {
        kind: 'text',
        text:
          'Means over the episodes that a policy version started; the band is one standard deviation. Groups whose rewards are all equal teach nothing. Staleness: versions that the trainer was ahead when an episode ended.' +
          (unstated === 0
            ? ''
            : ` ${plural(unstated, 'episode')} of no stated version ${unstated === 1 ? 'is' : 'are'} in the table alone.`),
      },
      ...charts,
      { kind: 'table', table: trainingTable(policies) },
    ],
  };
}
