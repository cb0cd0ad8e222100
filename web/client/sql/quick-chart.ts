import type { BarSeriesOption, LineSeriesOption, ScatterSeriesOption } from 'echarts';
import type { Answer } from '../../api/index.js';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { formatCount, formatScore } from '../../../domain/text/format.js';
import { plainText } from '../text/plain-text.js';

type Result = Pick<Answer<'sql'>, 'columns' | 'rows'>;
export const CHART_KINDS = ['bars', 'line', 'points'] as const;
type ChartKind = (typeof CHART_KINDS)[number];
export interface Wish {
  kind: ChartKind;
  x: number;
  y: readonly number[];
}

/** More is indistinguishable, and slow to draw. */
const MOST = { bars: 60, line: 5_000, points: 2_000 } as const;
const SERIES = 8;

/** Numbers that may exceed JavaScript's come as text. */
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : null;
const isNumber = (value: unknown): boolean => Number.isFinite(numberOf(value) ?? NaN);
const timeOf = (value: unknown): number | null =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]/.test(value) ? Date.parse(value) : null;

type ColumnKind = 'number' | 'time' | 'name';
export function kindsOf({ columns, rows }: Result): ColumnKind[] {
  return columns.map((_, i) => {
    const known = rows.map((row) => row[i]).filter((value) => value !== null && value !== undefined);
    if (known.length === 0) return 'name';
    return known.every(isNumber) ? 'number' : known.every((value) => timeOf(value) !== null) ? 'time' : 'name';
  });
}

/** Null: no numbers, or no rows. */
export function likelyChart(result: Result): Wish | null {
  const kinds = kindsOf(result);
  const numbers = kinds.flatMap((kind, i) => (kind === 'number' ? [i] : []));
  const time = kinds.indexOf('time');
  const name = kinds.indexOf('name');
  const x = time >= 0 ? time : name >= 0 ? name : numbers[0];
  const y = numbers.filter((i) => i !== x).slice(0, SERIES);
  if (x === undefined || y.length === 0 || result.rows.length === 0) return null;
  return { x, y, kind: time >= 0 ? 'line' : name >= 0 ? 'bars' : 'points' };
}

/** Columns against one of them; the title says how many rows are drawn. */
export function quickChart({ columns, rows }: Result, { kind, x, y }: Wish): Chart {
  const shown = rows.slice(0, MOST[kind]);
  const of = (i: number): string => plainText(columns[i] ?? '');
  const what = `${y.map(of).join(', ')} by ${of(x)}`;
  const xKind = kindsOf({ columns, rows: shown })[x];
  const isCategory = kind === 'bars' || xKind === 'name';
  const at = (value: unknown): number | null => (xKind === 'time' ? timeOf(value) : numberOf(value));
  // A line goes from left to right, whatever order the rows have.
  const placed = isCategory || kind === 'points' ? shown : shown.toSorted((a, b) => (at(a[x]) ?? 0) - (at(b[x]) ?? 0));
  const text = (value: unknown): string =>
    plainText(
      value === null || value === undefined ? 'null' : typeof value === 'string' ? value : JSON.stringify(value),
    );
  return {
    id: 'quick',
    title:
      shown.length < rows.length
        ? `${what}, the first ${formatCount(shown.length)} of ${formatCount(rows.length)} rows`
        : what,
    description: `${what}, ${formatCount(shown.length)} rows.`,
    draw: (_, narrow) => ({
      height: 320,
      option: {
        grid: { left: 70, right: 16, top: 16, bottom: isCategory && !narrow ? 70 : 36 },
        tooltip: { trigger: kind === 'points' ? 'item' : 'axis', renderMode: 'richText' },
        xAxis: isCategory
          ? {
              type: 'category',
              data: placed.map((row) => text(row[x])),
              axisLabel: { ...TEXT, hideOverlap: true, width: 110, overflow: 'truncate', rotate: narrow ? 0 : 30 },
              axisLine: AXIS_LINE,
            }
          : {
              type: xKind === 'time' ? 'time' : 'value',
              scale: true,
              axisLabel: { ...TEXT, hideOverlap: true },
              axisLine: AXIS_LINE,
              splitLine: { show: false },
            },
        yAxis: {
          type: 'value',
          scale: kind !== 'bars',
          axisLabel: { ...TEXT, formatter: (value: number) => formatScore(value) },
          splitLine: SPLIT_LINE,
        },
        series: y.map((column, i): BarSeriesOption | ScatterSeriesOption | LineSeriesOption => {
          const color = `var(--series-${i % SERIES})`;
          const own = {
            name: of(column),
            itemStyle: { color },
            data: placed.map((row): (number | null)[] | number | null =>
              isCategory ? numberOf(row[column]) : [at(row[x]), numberOf(row[column])],
            ),
          };
          if (kind === 'bars') return { ...own, type: 'bar' };
          if (kind === 'points') return { ...own, type: 'scatter', symbolSize: 6 };
          return {
            ...own,
            type: 'line',
            showSymbol: placed.length < 60,
            lineStyle: { color, width: 2 },
          };
        }),
      },
    }),
  };
}
