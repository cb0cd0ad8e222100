import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { fixed } from '../parts/format.js';
import { rangeSeries, rowNames } from '../parts/range-series.js';
import { methodLabel, rankedRows } from './methods.js';
import type { Leaderboard, LeaderboardRow } from '../../../domain/views/leaderboard.js';

/** The others are in the table. */
const MOST = 30;

const SERIES = [
  { kind: 'best', interval: 'bestWinRate', color: 'var(--series-0)', filled: true },
  { kind: 'last', interval: 'lastWinRate', color: 'var(--series-1)', filled: false },
] as const;

export function winRateChart(board: Leaderboard): Chart {
  const rows = rankedRows(board)
    .filter(({ winRate }) => winRate !== null)
    .slice(0, MOST);
  const describe = (row: LeaderboardRow): string =>
    `${methodLabel(row, board)} ${fixed(row.winRate?.best)} and ${fixed(row.winRate?.last)}`;
  return {
    id: 'win-rates',
    title: 'Win rate with intervals of 95 %',
    description: `Win rates of best attempts and of best submissions: ${rows.map(describe).join('; ')}.`,
    draw: (width, narrow) => ({
      height: rows.length * 40 + 60,
      option: {
        grid: { left: narrow ? 10 : 190, right: 16, top: 6, bottom: 46 },
        xAxis: {
          type: 'value',
          min: 0,
          max: 1,
          name: 'win rate',
          nameLocation: 'middle',
          nameGap: 28,
          nameTextStyle: TEXT,
          axisLabel: TEXT,
          axisLine: AXIS_LINE,
          splitLine: SPLIT_LINE,
        },
        yAxis: {
          ...rowNames(
            rows.map((row) => methodLabel(row, board)),
            narrow,
            TEXT,
          ),
          axisLine: AXIS_LINE,
        },
        series: SERIES.map(({ kind, interval, color, filled }, series) =>
          rangeSeries(
            rows.map((row) => {
              const around = row.intervals?.[interval];
              return { value: row.winRate?.[kind] ?? NaN, low: around?.low, high: around?.high };
            }),
            { color, filled, shift: narrow ? 4 + series * 9 : series === 0 ? -6 : 6 },
          ),
        ),
      },
    }),
  };
}
