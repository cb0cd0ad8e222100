import type { Answer } from '../../api/index.js';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { formatUsd } from '../../../domain/text/format.js';

type Spend = Answer<'batchSpend'>;

const clock = (ms: number): string => `${new Date(ms).toISOString().slice(5, 16).replace('T', ' ')}`;
/** Below it, an axis would repeat its minutes. */
const SHORT_MS = 20 * 60_000;
const axis = (narrow: boolean, buckets: Spend['buckets']) => ({
  type: 'time' as const,
  axisLabel: {
    ...TEXT,
    formatter: (value: number) =>
      Date.parse(buckets.at(-1)?.at ?? '') - Date.parse(buckets[0]?.at ?? '') < SHORT_MS
        ? new Date(value).toISOString().slice(11, 19)
        : clock(value),
    hideOverlap: true,
    alignMaxLabel: 'right' as const,
  },
  splitNumber: narrow ? 2 : 6,
  axisLine: AXIS_LINE,
  splitLine: { show: false },
});

export function spendChart({ buckets, budgetUsd, forecast }: Spend): Chart {
  const last = buckets.at(-1);
  return {
    id: 'spend',
    title: 'Spent so far, US dollars',
    description:
      last === undefined
        ? 'nothing yet'
        : `${formatUsd(last.cumulativeUsd)} by ${clock(Date.parse(last.at))} UTC${budgetUsd === null ? '' : `, of a budget of ${formatUsd(budgetUsd)}`}`,
    draw: (_, narrow) => ({
      height: 260,
      option: {
        grid: { left: 60, right: narrow ? 32 : 110, top: 16, bottom: 30 },
        tooltip: { trigger: 'axis', renderMode: 'richText' },
        xAxis: axis(narrow, buckets),
        yAxis: {
          type: 'value',
          min: 0,
          axisLabel: { ...TEXT, formatter: (value: number) => formatUsd(value) },
          splitLine: SPLIT_LINE,
        },
        series: [
          {
            type: 'line',
            step: 'end',
            showSymbol: false,
            data: buckets.map(({ at, cumulativeUsd }) => [Date.parse(at), Number(cumulativeUsd)]),
            lineStyle: { color: 'var(--series-0)', width: 2 },
            itemStyle: { color: 'var(--series-0)' },
            markLine: {
              silent: true,
              symbol: 'none',
              data: [
                ...(budgetUsd === null ? [] : [['budget', Number(budgetUsd), 'var(--series-1)'] as const]),
                ...(forecast.expectedUsd === null
                  ? []
                  : [['expected', forecast.expectedUsd, 'var(--series-3)'] as const]),
              ].map(([name, value, color]) => ({
                yAxis: value,
                lineStyle: { color, type: 'dashed', width: 1.5 },
                label: {
                  ...TEXT,
                  color: 'var(--muted)',
                  formatter: `${name} ${formatUsd(value)}`,
                  position: narrow ? 'insideEndTop' : 'end',
                },
              })),
            },
          },
        ],
      },
    }),
  };
}

export function inFlightChart({ buckets }: Spend): Chart {
  return {
    id: 'in-flight',
    title: 'Runs in flight, and ended',
    description:
      buckets.length === 0
        ? 'nothing yet'
        : `at most ${Math.max(...buckets.map(({ inFlight }) => inFlight))} at once; ${buckets.at(-1)!.ended} have ended`,
    draw: (_, narrow) => ({
      height: 220,
      option: {
        grid: { left: 60, right: narrow ? 32 : 110, top: 16, bottom: 30 },
        tooltip: { trigger: 'axis', renderMode: 'richText' },
        xAxis: axis(narrow, buckets),
        yAxis: { type: 'value', min: 0, axisLabel: TEXT, splitLine: SPLIT_LINE },
        series: (
          [
            ['in flight', 'inFlight', 'var(--series-0)', 'solid'],
            ['ended', 'ended', 'var(--series-2)', 'dashed'],
          ] as const
        ).map(([name, key, color, type]) => ({
          name,
          type: 'line' as const,
          step: 'end' as const,
          showSymbol: false,
          data: buckets.map((bucket) => [Date.parse(bucket.at), bucket[key]]),
          lineStyle: { color, width: 2, type },
          itemStyle: { color },
          ...(narrow ? {} : { endLabel: { show: true, formatter: name, color } }),
        })),
      },
    }),
  };
}
