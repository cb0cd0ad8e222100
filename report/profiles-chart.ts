import type { LineSeriesOption } from 'echarts';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from './chart.js';
import { fixed } from './numbers.js';
import { methodLabel, rankedRows, type ReportData } from './report-data.js';
import { type SeriesStyle, styleOf } from './series.js';

/** Most lines that can be told apart: the first by rank are drawn, the rest are in the table. */
const MOST = 10;

export interface Profile {
  label: string;
  style: SeriesStyle;
  steps: readonly (readonly [tau: number, share: number])[];
}

export function profilesOf({ board }: ReportData, kind: 'best' | 'last'): Profile[] {
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

export function profilesChart(data: ReportData, kind: 'best' | 'last'): Chart {
  const axis = data.board.comparison.T ?? 0;
  const profiles = profilesOf(data, kind);
  const what = kind === 'best' ? 'best attempts' : 'best submissions';
  return {
    id: `profiles-${kind}`,
    title: `Performance profiles of the ${what}`,
    description:
      `For each model, the share of tasks at which its score is within a factor of the best. At the right end, ${fixed(10 ** axis, 1)}×: ` +
      profiles.map(({ label, steps }) => `${label} ${Math.round((steps.at(-1)?.[1] ?? 0) * 100)} %`).join(', '),
    draw: (width, narrow) => ({
      height: narrow ? 280 : 400,
      option: {
        grid: { left: 48, right: narrow ? 16 : 190, top: 14, bottom: 46, containLabel: false },
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
        series: profiles.map(({ label, style, steps }): LineSeriesOption => ({
          type: 'line',
          step: 'end',
          silent: true,
          showSymbol: false,
          data: stepLine(steps, axis),
          lineStyle: { color: style.color, width: 2, type: style.dash },
          itemStyle: { color: style.color },
          ...(narrow
            ? {}
            : {
                endLabel: {
                  show: true,
                  formatter: () => label,
                  color: style.color,
                  width: 170,
                  overflow: 'truncate',
                  distance: 8,
                },
                labelLayout: { moveOverlap: 'shiftY' },
              }),
        })),
      },
    }),
  };
}
