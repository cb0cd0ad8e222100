import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { formatDuration, formatScore, formatUsd } from '../../../domain/text/format.js';

export interface ScoredPoint {
  name: string;
  step: number;
  /** Milliseconds since the first step. */
  time: number;
  cost: number;
  score: number;
  kind: string;
  suspect: boolean;
}

export type Over = 'step' | 'time' | 'cost';
const NAMES: Record<Over, string> = { step: 'step', time: 'time since the first step', cost: 'US dollars so far' };

/** With a margin, so that reference lines are visible. */
function rangeOf(values: readonly number[]): { min?: number; max?: number; scale: true } {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return { scale: true };
  const room = high === low ? Math.abs(high) * 0.1 || 1 : (high - low) * 0.06;
  const digits = 10 ** (Math.floor(Math.log10(room)) - 1);
  return {
    min: Math.floor((low - room) / digits) * digits,
    max: Math.ceil((high + room) / digits) * digits,
    scale: true,
  };
}

export function scoresChart(
  points: readonly ScoredPoint[],
  over: Over,
  metric: string,
  lines: readonly { name: string; value: number }[],
): Chart {
  return {
    id: 'scores',
    title: `${metric} over ${NAMES[over]}`,
    description: points.map((point) => `step ${point.step}: ${formatScore(point.score)}`).join(', '),
    draw: (_, narrow) => ({
      height: 300,
      option: {
        grid: { left: 56, right: narrow ? 16 : 120, top: 18, bottom: 44 },
        tooltip: { trigger: 'item', renderMode: 'richText' },
        xAxis: {
          type: 'value',
          min: 0,
          name: NAMES[over],
          nameLocation: 'middle',
          nameGap: 28,
          nameTextStyle: TEXT,
          axisLabel: {
            ...TEXT,
            formatter: (value: number) =>
              over === 'step' ? String(value) : over === 'time' ? formatDuration(value) : formatUsd(value),
            hideOverlap: true,
          },
          axisLine: AXIS_LINE,
          splitLine: { show: false },
        },
        yAxis: {
          type: 'value',
          ...rangeOf([...points.map((point) => point.score), ...lines.map(({ value }) => value)]),
          // Hide the ends, which are not round and crowd their neighbours.
          axisLabel: {
            ...TEXT,
            formatter: (value: number) => formatScore(value),
            showMinLabel: false,
            showMaxLabel: false,
          },
          splitLine: SPLIT_LINE,
        },
        series: [
          {
            type: 'line',
            data: points.map((point) => ({
              name: point.name,
              value: [point[over], point.score],
              symbol: point.suspect ? 'triangle' : point.kind === 'validate' ? 'circle' : 'diamond',
              symbolSize: point.kind === 'validate' ? 9 : 13,
            })),
            lineStyle: { color: 'var(--series-0)', width: 1.5 },
            itemStyle: { color: 'var(--series-0)' },
            tooltip: { formatter: (item) => `${(item as { name: string }).name}` },
            markLine: {
              silent: true,
              symbol: 'none',
              data: lines.map(({ name, value }, i) => ({
                yAxis: value,
                name,
                lineStyle: {
                  color: i === 0 ? 'var(--axis)' : 'var(--series-2)',
                  type: i === 0 ? 'dashed' : 'dotted',
                  width: 1.5,
                },
                label: {
                  ...TEXT,
                  formatter: `${name} ${formatScore(value)}`,
                  position: narrow ? 'insideEndTop' : 'end',
                  color: 'var(--muted)',
                },
              })),
            },
          },
        ],
      },
    }),
  };
}
