import type { CustomSeriesOption } from 'echarts';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { fixed } from '../parts/format.js';
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
          type: 'category',
          inverse: true,
          data: rows.map((row) => methodLabel(row, board)),
          axisTick: { show: false },
          axisLine: AXIS_LINE,
          // On a phone the names stand above their points.
          axisLabel: narrow
            ? { ...TEXT, inside: true, verticalAlign: 'bottom', padding: [0, 0, 7, 0], margin: 4 }
            : { ...TEXT, width: 175, overflow: 'truncate' },
          z: 10,
        },
        series: SERIES.map(({ kind, interval, color, filled }, series): CustomSeriesOption => ({
          type: 'custom',
          silent: true,
          data: rows.map((row, i) => {
            const around = row.intervals?.[interval];
            return [row.winRate?.[kind] ?? NaN, i, around?.low ?? NaN, around?.high ?? NaN];
          }),
          renderItem: (_, api) => {
            const shift = narrow ? 4 + series * 9 : series === 0 ? -6 : 6;
            const at = (value: number): [number, number] => {
              const [x = 0, y = 0] = api.coord([value, api.value(1)]);
              return [x, y + shift];
            };
            const [x, y] = at(Number(api.value(0)));
            const [low, high] = [Number(api.value(2)), Number(api.value(3))];
            const line = (from: readonly number[], to: readonly number[]) => ({
              type: 'line' as const,
              shape: { x1: from[0]!, y1: from[1]!, x2: to[0]!, y2: to[1]! },
              style: { stroke: color, lineWidth: 1.5 },
            });
            const reach = (end: number) => {
              const [capX, capY] = at(end);
              return line([capX, capY - 4], [capX, capY + 4]);
            };
            return {
              type: 'group',
              children: [
                ...(Number.isNaN(low) ? [] : [line(at(low), at(high)), reach(low), reach(high)]),
                {
                  type: 'circle',
                  shape: { cx: x, cy: y, r: 4.5 },
                  style: { fill: filled ? color : 'var(--page)', stroke: color, lineWidth: 2 },
                },
              ],
            };
          },
        })),
      },
    }),
  };
}
