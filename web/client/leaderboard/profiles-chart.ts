import type { CustomSeriesOption, LineSeriesOption } from 'echarts';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { fixed } from '../parts/format.js';
import { methodLabel, rankedRows } from './methods.js';
import { type SeriesStyle, styleOf } from '../parts/series.js';
import { spread } from './spread.js';
import type { Leaderboard } from '../../../domain/views/leaderboard.js';

/** Readers can distinguish so many lines: the first by rank; the rest are in the table. */
const MOST = 10;

export interface Profile {
  label: string;
  style: SeriesStyle;
  steps: readonly (readonly [tau: number, share: number])[];
}

function profilesOf(board: Leaderboard, kind: 'best' | 'last'): Profile[] {
  const models = rankedRows(board)
    .filter((row) => row.profile !== null)
    .slice(0, MOST)
    .map((row, i) => ({ label: methodLabel(row, board), style: styleOf(i), steps: row.profile![kind] }));
  const starters: Profile[] =
    board.baseline === null
      ? []
      : [
          {
            label: 'baseline',
            style: { color: 'var(--muted)', dash: 'dotted', symbol: 'rect' },
            steps: board.baseline.profile[kind],
          },
        ];
  return [...models, ...starters];
}

/** Steps from the left to the right end of the axis. */
export function stepLine(steps: Profile['steps'], axis: number): [number, number][] {
  const points = steps.map(([tau, share]): [number, number] => [tau, share]);
  const first = points[0];
  if (first === undefined || first[0] > 0) points.unshift([0, 0]);
  return [...points, [axis, points.at(-1)![1]]];
}

const factor = (tau: number): string => `${Number((10 ** tau).toPrecision(2)).toLocaleString('en-US')}×`;

const [HEIGHT, TOP, BOTTOM] = [400, 14, 46];
/** A line of text. */
const LINE = 16;

/** Names beside the ends of their lines, kept apart, which the chart's own labels are not. */
function names(profiles: readonly Profile[], axis: number): CustomSeriesOption {
  const ends = profiles.map(({ steps }) => steps.at(-1)?.[1] ?? 0);
  const bottom = HEIGHT - BOTTOM;
  const places = spread(
    ends.map((share) => bottom - share * (bottom - TOP)),
    LINE,
    TOP,
    bottom,
  );
  return {
    type: 'custom',
    silent: true,
    clip: false,
    data: ends.map((share) => [axis, share]),
    renderItem: ({ dataIndex }, api) => {
      const [x = 0, y = 0] = api.coord([api.value(0), api.value(1)]);
      const { label, style } = profiles[dataIndex]!;
      const place = places[dataIndex]!;
      return {
        type: 'group',
        children: [
          {
            type: 'polyline',
            shape: {
              points: [
                [x + 2, y],
                [x + 12, place],
              ],
            },
            style: { stroke: style.color, lineWidth: 1, fill: 'none', opacity: 0.6 },
          },
          {
            type: 'text',
            x: x + 15,
            y: place,
            style: {
              ...{ text: label, fill: style.color, verticalAlign: 'middle', width: 170, overflow: 'truncate' },
              ...{ fontSize: TEXT.fontSize, fontFamily: TEXT.fontFamily },
            },
          },
        ],
      };
    },
  };
}

export function profilesChart(board: Leaderboard, kind: 'best' | 'last'): Chart {
  const axis = board.comparison.T ?? 0;
  const profiles = profilesOf(board, kind);
  const what = kind === 'best' ? 'best attempts' : 'best submissions';
  return {
    id: `profiles-${kind}`,
    title: `Performance profiles of the ${what}`,
    description:
      `For each model, the share of tasks at which its score is within a factor of the best. At the right end, ${fixed(10 ** axis, 1)}×: ` +
      profiles.map(({ label, steps }) => `${label} ${Math.round((steps.at(-1)?.[1] ?? 0) * 100)} %`).join(', '),
    draw: (width, narrow) => ({
      height: narrow ? 280 : HEIGHT,
      option: {
        grid: { left: 48, right: narrow ? 16 : 190, top: TOP, bottom: BOTTOM, containLabel: false },
        xAxis: {
          type: 'value',
          min: 0,
          max: axis,
          name: 'factor to the best score (log)',
          nameLocation: 'middle',
          nameGap: 28,
          nameTextStyle: TEXT,
          splitNumber: narrow ? 3 : 6,
          axisLabel: { ...TEXT, formatter: factor, showMaxLabel: !narrow },
          axisLine: AXIS_LINE,
          splitLine: { show: false },
        },
        yAxis: {
          type: 'value',
          min: 0,
          max: 1,
          axisLabel: { ...TEXT, formatter: (share: number) => `${Math.round(share * 100)} %` },
          splitLine: SPLIT_LINE,
        },
        series: [
          ...profiles.map(({ style, steps }): LineSeriesOption => ({
            type: 'line',
            step: 'end',
            silent: true,
            showSymbol: false,
            data: stepLine(steps, axis),
            lineStyle: { color: style.color, width: 2, type: style.dash },
            itemStyle: { color: style.color },
          })),
          ...(narrow ? [] : [names(profiles, axis)]),
        ],
      },
    }),
  };
}
