import type { LineSeriesOption } from 'echarts';
import type { PolicyMetrics } from '../domain/views/training.js';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from './chart.js';
import { percent, score } from './numbers.js';
import { type LegendEntry, styleOf } from './series.js';

/** A policy whose version is known: a place on the axis. */
export type Versioned = PolicyMetrics & { policy_version: number };

type Point = [version: number, value: number];
interface Curve {
  id: string;
  title: string;
  /** The description for screen readers has the lowest and the highest value over the versions. */
  value: (policy: Versioned) => number | null;
  format: (value: number) => string;
  /** Distance of the band's edges from the value. */
  spread?: (policy: Versioned) => number | null;
  share?: true;
}

const CURVES: readonly Curve[] = [
  {
    ...{ id: 'reward', title: 'Reward', value: ({ reward }) => reward, format: score },
    spread: ({ reward_std: std }) => std,
  },
  { id: 'gain', title: 'Gain over the baseline', value: ({ gain }) => gain, format: score },
  {
    ...{ id: 'spread', title: 'Groups whose rewards are all equal', format: percent, share: true },
    value: ({ frac_reward_zero_std: share }) => share,
  },
];

const pointsOf = (policies: readonly Versioned[], value: Curve['value']): Point[] =>
  policies.flatMap((policy): Point[] => {
    const y = value(policy);
    return y === null ? [] : [[policy.policy_version, y]];
  });

/** Curves of which at least one version has a value. */
export const trainingCurves = (policies: readonly Versioned[]): Chart[] =>
  CURVES.filter(({ value }) => pointsOf(policies, value).length > 0).map((curve) => curveChart(curve, policies));

function curveChart({ id, title, value, format, spread, share }: Curve, policies: readonly Versioned[]): Chart {
  const points = pointsOf(policies, value);
  const values = points.map(([, y]) => y);
  const [first, last] = [points[0]!, points.at(-1)!];
  const { color } = styleOf(0);
  const edges = spread === undefined ? [] : policies.filter((one) => value(one) !== null && spread(one) !== null);
  const band = (data: Point[], shown: boolean): LineSeriesOption => ({
    ...{ type: 'line', data, silent: true, showSymbol: false, stack: 'band', stackStrategy: 'all' },
    lineStyle: { opacity: 0 },
    ...(shown ? { areaStyle: { color, opacity: 0.18 } } : {}),
  });
  return {
    id: `training-${id}`,
    title,
    description: `${title} from version ${first[0]}, ${format(first[1])}, to version ${last[0]}, ${format(last[1])}; between ${format(Math.min(...values))} and ${format(Math.max(...values))}.`,
    draw: (_width, narrow) => ({
      height: narrow ? 220 : 280,
      option: {
        ...axes(narrow, format, share === true),
        series: [
          ...(spread === undefined
            ? []
            : [
                band(
                  edges.map((one) => [one.policy_version, value(one)! - spread(one)!]),
                  false,
                ),
                band(
                  edges.map((one) => [one.policy_version, 2 * spread(one)!]),
                  true,
                ),
              ]),
          {
            type: 'line',
            data: points,
            silent: true,
            showSymbol: points.length < 3,
            lineStyle: { color, width: 2 },
            itemStyle: { color },
          },
        ],
      },
    }),
  };
}

const axes = (narrow: boolean, format: (value: number) => string, share: boolean) => ({
  grid: { left: 56, right: 20, top: 14, bottom: 46 },
  xAxis: {
    ...{ type: 'value' as const, min: 'dataMin' as const, max: 'dataMax' as const, minInterval: 1 },
    ...{ name: 'policy version', nameLocation: 'middle' as const, nameGap: 28, nameTextStyle: TEXT },
    ...{ splitNumber: narrow ? 3 : 8, axisLabel: TEXT, axisLine: AXIS_LINE, splitLine: { show: false } },
  },
  yAxis: {
    ...{ type: 'value' as const, axisLabel: { ...TEXT, formatter: format }, splitLine: SPLIT_LINE },
    ...(share ? { min: 0, max: 1 } : { scale: true }),
  },
});

/** The ends that occur, each with its share of a version's ended episodes. */
export function endsOf(policies: readonly Versioned[]): { label: string; share: (policy: Versioned) => number }[] {
  const causes = [...new Set(policies.flatMap(({ truncations }) => Object.keys(truncations)))].sort();
  const of = (count: (policy: Versioned) => number) => (policy: Versioned) =>
    policy.ended === 0 ? 0 : count(policy) / policy.ended;
  return [
    { label: 'terminated', share: of(({ terminated }) => terminated) },
    ...causes.map((cause) => ({
      label: `truncated: ${cause.replace('_', ' ')}`,
      share: of(({ truncations }) => truncations[cause] ?? 0),
    })),
    { label: 'errored', share: of(({ errored_rollouts: errored }) => errored) },
    { label: 'abandoned', share: of(({ abandoned }) => abandoned) },
  ].filter(({ share }) => policies.some((policy) => share(policy) > 0));
}

/** How the episodes of each version ended, one upon the other. */
export function endsChart(policies: readonly Versioned[]): { chart: Chart; entries: LegendEntry[] } {
  const ended = policies.filter((policy) => policy.ended > 0);
  const ends = endsOf(ended).map((end, at) => ({ ...end, style: styleOf(at) }));
  const last = ended.at(-1);
  return {
    entries: ends,
    chart: {
      id: 'training-ends',
      title: 'Ends',
      description:
        last === undefined
          ? 'No episode has ended.'
          : `Of version ${last.policy_version}: ${ends.map(({ label, share }) => `${label} ${percent(share(last))}`).join(', ')}.`,
      draw: (_width, narrow) => ({
        height: narrow ? 220 : 280,
        option: {
          ...axes(narrow, percent, true),
          series: ends.map(({ share, style }): LineSeriesOption => ({
            ...{ type: 'line', stack: 'ends', silent: true, showSymbol: ended.length < 2 },
            ...{ lineStyle: { width: 1, color: style.color }, itemStyle: { color: style.color } },
            areaStyle: { color: style.color, opacity: 0.7 },
            data: ended.map((policy): Point => [policy.policy_version, share(policy)]),
          })),
        },
      }),
    },
  };
}
