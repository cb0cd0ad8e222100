import type { Answer } from '../../api/index.js';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { formatScore } from '../../../domain/text/format.js';

type Policies = Answer<'policies'>['policies'];

const axes = (narrow: boolean, percent = false) => ({
  grid: { left: 60, right: narrow ? 16 : 110, top: 16, bottom: 40 },
  tooltip: { trigger: 'axis' as const, renderMode: 'richText' as const },
  xAxis: {
    type: 'value' as const,
    name: 'policy version',
    nameLocation: 'middle' as const,
    nameGap: 26,
    nameTextStyle: TEXT,
    minInterval: 1,
    scale: true,
    axisLabel: TEXT,
    axisLine: AXIS_LINE,
    splitLine: { show: false },
  },
  yAxis: {
    type: 'value' as const,
    scale: true,
    axisLabel: { ...TEXT, ...(percent && { formatter: (value: number) => `${Math.round(value * 100)} %` }) },
    splitLine: SPLIT_LINE,
  },
});

/** Reward by policy version: its mean, one standard deviation around it, and the extremes. */
export function rewardChart(policies: Policies): Chart {
  const known = policies.filter(({ policy_version: version, reward }) => version !== null && reward !== null);
  const [first, last] = [known[0], known.at(-1)];
  const lines = [
    ['highest', 'reward_max', 'var(--muted)', 'dotted'],
    ['mean + std', null, 'var(--series-2)', 'dashed'],
    ['mean', 'reward', 'var(--series-0)', 'solid'],
    ['mean − std', null, 'var(--series-2)', 'dashed'],
    ['lowest', 'reward_min', 'var(--muted)', 'dotted'],
  ] as const;
  return {
    id: 'rewards',
    title: 'Reward by policy version',
    description:
      first === undefined || last === undefined
        ? 'no version has a reward yet'
        : `mean from ${formatScore(first.reward)} at version ${first.policy_version} to ${formatScore(last.reward)} at version ${last.policy_version}`,
    draw: (_, narrow) => ({
      height: 280,
      option: {
        ...axes(narrow),
        series: lines.map(([name, key, color, type]) => ({
          name,
          type: 'line' as const,
          showSymbol: name === 'mean',
          data: known.map((policy) => [
            policy.policy_version,
            key === null
              ? (policy.reward ?? 0) + (name === 'mean + std' ? 1 : -1) * (policy.reward_std ?? 0)
              : policy[key],
          ]),
          lineStyle: { color, type, width: name === 'mean' ? 2.5 : 1.2 },
          itemStyle: { color },
          ...(narrow ? {} : { endLabel: { show: true, formatter: name, color } }),
        })),
      },
    }),
  };
}

/** How episodes end, and what training cannot use. */
export function shareChart(policies: Policies): Chart {
  const known = policies.filter(({ policy_version: version }) => version !== null);
  const lines = [
    ['cut off', 'is_truncated', 'var(--series-4)', 'solid'],
    ['groups without spread', 'frac_reward_zero_std', 'var(--series-1)', 'dashed'],
    ['format errors', 'format_error_share', 'var(--series-3)', 'dotted'],
    ['failed commands', 'tools/failure_frequency', 'var(--series-5)', 'solid'],
  ] as const;
  return {
    id: 'shares',
    title: 'Shares by policy version',
    description:
      'episodes that were cut off, groups whose rewards are all equal, replies that could not be read, commands that failed',
    draw: (_, narrow) => ({
      height: 260,
      option: {
        ...axes(narrow, true),
        series: lines.map(([name, key, color, type]) => ({
          name,
          type: 'line' as const,
          showSymbol: false,
          data: known.flatMap((policy) => (policy[key] === null ? [] : [[policy.policy_version, policy[key]]])),
          lineStyle: { color, type, width: 2 },
          itemStyle: { color },
          ...(narrow ? {} : { endLabel: { show: true, formatter: name, color } }),
        })),
      },
    }),
  };
}
