import { formatUsd } from '../../../domain/text/format.js';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { fixed } from '../parts/format.js';
import { kindOf, methodLabel, rankedRows } from './methods.js';
import { type SeriesStyle, styleOf } from '../parts/series.js';
import type { Leaderboard } from '../../../domain/views/leaderboard.js';

export interface CostPoint {
  label: string;
  usd: number;
  aup: number;
  style: SeriesStyle;
}

/** Ranked rows with an AUP and a known cost above zero. */
export function costPoints(board: Leaderboard): CostPoint[] {
  const area = kindOf(board) === 'best' ? 'bestAup' : 'lastAup';
  return rankedRows(board).flatMap((row, i) => {
    const perRunUsd = Number(row.costPerRunUsd ?? 0);
    const aup = row[area];
    if (perRunUsd === 0 || aup === null) return [];
    return [{ label: methodLabel(row, board), usd: perRunUsd, aup, style: styleOf(i) }];
  });
}

/** The cost axis has powers of ten where costs differ by more than this. */
const SPAN = 8;

export function costChart(board: Leaderboard): Chart {
  const points = costPoints(board);
  const costs = points.map((point) => point.usd);
  const log = Math.max(...costs) / Math.min(...costs) > SPAN;
  return {
    id: 'cost',
    title: 'AUP against cost per run',
    description: points
      .map(({ label, usd: cost, aup }) => `${label}: ${formatUsd(cost)} per run, AUP ${fixed(aup)}`)
      .join('; '),
    draw: (width, narrow) => ({
      height: narrow ? 300 : 380,
      option: {
        grid: { left: 48, right: narrow ? 20 : 150, top: 18, bottom: 46 },
        xAxis: {
          type: log ? 'log' : 'value',
          ...(log
            ? {
                min: 10 ** Math.floor(Math.log10(Math.min(...costs))),
                max: 10 ** Math.ceil(Math.log10(Math.max(...costs))),
              }
            : { min: 0 }),
          name: `US dollars per run${log ? ' (log)' : ''}`,
          nameLocation: 'middle',
          nameGap: 28,
          nameTextStyle: TEXT,
          axisLabel: { ...TEXT, formatter: (value: number) => formatUsd(value) },
          axisLine: AXIS_LINE,
          splitLine: { show: false },
        },
        yAxis: {
          type: 'value',
          // Areas lie close together: the axis need not begin at zero.
          scale: true,
          name: 'AUP',
          nameGap: 6,
          nameTextStyle: TEXT,
          axisLabel: { ...TEXT, formatter: (value: number) => fixed(value) },
          splitLine: SPLIT_LINE,
        },
        series: points.map(({ label, usd: cost, aup, style }) => ({
          type: 'scatter',
          silent: true,
          symbol: style.symbol,
          symbolSize: 12,
          itemStyle: { color: style.color, opacity: 1 },
          data: [[cost, aup]],
          label: {
            // On a phone names would lie on each other: the legend has them.
            show: !narrow,
            ...TEXT,
            formatter: () => label,
            position: 'right',
            width: 140,
            overflow: 'truncate',
          },
          labelLayout: { moveOverlap: 'shiftY' },
        })),
      },
    }),
  };
}
