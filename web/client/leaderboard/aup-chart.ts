import type { CustomSeriesOption } from 'echarts';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { fixed } from '../parts/format.js';
import { methodLabel, rankedRows, type ChartedBoard } from './methods.js';
import type { LeaderboardRow } from '../../../domain/views/leaderboard.js';

/** The others are in the table. */
const MOST = 30;

const AREAS = [
  { area: 'bestAup', color: 'var(--series-0)', filled: true },
  { area: 'lastAup', color: 'var(--series-1)', filled: false },
] as const;

const intervalOf = (row: LeaderboardRow, over: ChartedBoard['over'], area: 'bestAup' | 'lastAup') =>
  row.intervals?.[over][area] ?? null;

export function aupChart({ board, over }: ChartedBoard): Chart {
  const rows = rankedRows(board)
    .filter(({ bestAup }) => bestAup !== null)
    .slice(0, MOST);
  const { mode, T } = board.comparison;
  const describe = (row: LeaderboardRow): string =>
    `${methodLabel(row, board)} ${fixed(row.bestAup)} and ${fixed(row.lastAup)}`;
  return {
    id: 'aup',
    title: 'AUP with intervals of 95 %',
    description: `AUP of best attempts and of best submissions: ${rows.map(describe).join('; ')}.`,
    draw: (width, narrow) => ({
      height: rows.length * 40 + 60,
      option: {
        grid: { left: narrow ? 10 : 190, right: 16, top: 6, bottom: 46 },
        xAxis: {
          type: 'value',
          min: 0,
          max: mode === 'strict' ? 1 : (T ?? 1),
          name: mode === 'strict' ? 'AUP (0 to 1)' : `AUP (log10 units, at most ${T ?? 1})`,
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
        series: AREAS.map(({ area, color, filled }, series): CustomSeriesOption => ({
          type: 'custom',
          silent: true,
          data: rows.map((row, i) => {
            const interval = intervalOf(row, over, area);
            return [row[area] ?? 0, i, interval?.low ?? NaN, interval?.high ?? NaN];
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
