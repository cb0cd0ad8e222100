import type { CustomSeriesOption } from 'echarts';

export interface Range {
  value: number;
  low: number | undefined;
  high: number | undefined;
}

/** A point with its interval in each row of a chart whose y axis has names. */
export function rangeSeries(
  rows: readonly Range[],
  { color, filled, shift }: { color: string; filled: boolean; shift: number },
): CustomSeriesOption {
  return {
    type: 'custom',
    silent: true,
    // The axis covers the intervals.
    encode: { x: [0, 2, 3], y: 1 },
    data: rows.map(({ value, low, high }, i) => [value, i, low ?? NaN, high ?? NaN]),
    renderItem: (_, api) => {
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
  };
}

/** Names of rows; on a phone they stand above their points. */
export const rowNames = (names: readonly string[], narrow: boolean, text: object) => ({
  ...{ type: 'category' as const, inverse: true, data: [...names], axisTick: { show: false }, z: 10 },
  axisLabel: narrow
    ? { ...text, inside: true, verticalAlign: 'bottom' as const, padding: [0, 0, 7, 0], margin: 4 }
    : { ...text, width: 175, overflow: 'truncate' as const },
});
