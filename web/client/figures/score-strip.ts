import type { Answer } from '../../api/index.js';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { formatScore, plural } from '../../../domain/text/format.js';
import { plainText } from '../parts/text.js';

interface Extent {
  min: number;
  max: number;
}

type Cell = Answer<'task'>['cells'][number];

/** A dot for each run's best score, a line for each model, and the starter's. */
export function scoreStrip(cells: readonly Cell[], nameOf: (cell: Cell) => string): Chart {
  const shown = cells.filter(({ scores }) => scores.length > 0);
  const baseline = shown[0]?.baseline ?? null;
  const low = ({ min }: Extent): number => Math.min(min, baseline ?? min);
  const high = ({ max }: Extent): number => Math.max(max, baseline ?? max);
  const pad = (of: Extent): number => (high(of) - low(of) || Math.abs(high(of)) || 1) / 40;
  const names = shown.map((cell) => plainText(nameOf(cell)));
  return {
    id: 'scores',
    title: 'Best score of each run',
    description: shown
      .map(
        (cell, i) =>
          `${names[i]}: ${plural(cell.scored, 'run')} from ${formatScore(Math.min(...cell.scores))} to ${formatScore(Math.max(...cell.scores))}`,
      )
      .join('; '),
    draw: (_, narrow) => ({
      height: 60 + 26 * Math.max(1, shown.length),
      option: {
        grid: { left: narrow ? 110 : 190, right: 30, top: 20, bottom: 30 },
        tooltip: { trigger: 'item', renderMode: 'richText' },
        // Includes the starter's, with a margin.
        xAxis: {
          type: 'value',
          scale: true,
          min: (of: Extent) => low(of) - pad(of),
          max: (of: Extent) => high(of) + pad(of),
          axisLabel: { ...TEXT, showMinLabel: false, showMaxLabel: false },
          axisLine: AXIS_LINE,
          splitLine: SPLIT_LINE,
        },
        yAxis: {
          type: 'category',
          inverse: true,
          data: names,
          axisLabel: { ...TEXT, width: narrow ? 84 : 165, overflow: 'truncate' },
          axisLine: AXIS_LINE,
        },
        series: [
          {
            type: 'scatter',
            symbolSize: 8,
            data: shown.flatMap((cell, i) => cell.scores.map((value) => [value, i])),
            itemStyle: { color: 'var(--series-0)', opacity: 0.55 },
            ...(baseline === null
              ? {}
              : {
                  markLine: {
                    silent: true,
                    symbol: 'none',
                    data: [{ xAxis: baseline }],
                    lineStyle: { color: 'var(--series-1)', type: 'dashed' as const },
                    label: { ...TEXT, formatter: 'starter', position: 'start' as const },
                  },
                }),
          },
        ],
      },
    }),
  };
}
