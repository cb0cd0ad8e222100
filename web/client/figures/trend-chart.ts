import { formatScore, plural } from '../../../domain/text/format.js';
import type { Answer } from '../../api/index.js';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';

type Trend = Answer<'trend'>;

/** The scores of each batch over time: their median, the highest and the lowest. */
export function trendChart({ points, baseline }: Trend): Chart {
  const scored = points.filter(({ scored: some }) => some > 0);
  const [first, last] = [scored[0], scored.at(-1)];
  const lines = [
    ['highest', 'high', 'var(--muted)', 'dotted'],
    ['median', 'median', 'var(--series-0)', 'solid'],
    ['lowest', 'low', 'var(--muted)', 'dotted'],
  ] as const;
  return {
    id: 'trend',
    title: 'Best scores of the runs of each batch',
    description:
      first === undefined || last === undefined
        ? 'no batch has a score'
        : `${plural(scored.length, 'batch', 'batches')}: median from ${formatScore(first.median)} to ${formatScore(last.median)}`,
    draw: (_, narrow) => ({
      height: 280,
      option: {
        grid: { left: 60, right: narrow ? 16 : 80, top: 16, bottom: 30 },
        tooltip: { trigger: 'axis', renderMode: 'richText' },
        xAxis: { type: 'time', axisLabel: TEXT, axisLine: AXIS_LINE, splitLine: { show: false } },
        yAxis: { type: 'value', scale: true, axisLabel: TEXT, splitLine: SPLIT_LINE },
        series: lines.map(([name, key, color, type]) => ({
          name,
          type: 'line' as const,
          showSymbol: name === 'median',
          data: scored.map((point) => [point.at, point[key]]),
          lineStyle: { color, type, width: name === 'median' ? 2.5 : 1.2 },
          itemStyle: { color },
          ...(narrow ? {} : { endLabel: { show: true, formatter: name, color } }),
          ...(name !== 'median' || baseline === null
            ? {}
            : {
                markLine: {
                  silent: true,
                  symbol: 'none',
                  data: [{ yAxis: baseline }],
                  lineStyle: { color: 'var(--series-1)', type: 'dashed' as const },
                  label: { ...TEXT, formatter: 'starter', position: 'insideStartTop' as const },
                },
              }),
        })),
      },
    }),
  };
}
