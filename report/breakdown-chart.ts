import type { BarSeriesOption } from 'echarts';
import { AXIS_LINE, type Chart, TEXT } from './chart.js';
import { percent } from './numbers.js';
import type { LegendEntry } from './series.js';

/** Parts of a whole for each of several rows. */
export interface Breakdown {
  id: string;
  title: string;
  unit: string;
  parts: LegendEntry[];
  /** Amounts in the order of `parts`. */
  rows: { label: string; amounts: number[] }[];
}

/** The other rows are in the table. */
export const MOST_BARS = 30;

/** Where a part is too thin for its share to be read in it. */
const THIN = { wide: 0.05, narrow: 0.13 } as const;

export function breakdownChart({ id, title, unit, parts, rows: all }: Breakdown): Chart {
  const rows = all.slice(0, MOST_BARS);
  const shares = rows.map(({ label, amounts }) => {
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    return { label, of: amounts.map((amount) => (total === 0 ? 0 : amount / total)) };
  });
  const descriptions = shares.map(
    ({ label, of }) =>
      `${label}: ${parts.flatMap((part, i) => (of[i] ? [`${part.label} ${percent(of[i])}`] : [])).join(', ')}`,
  );
  return {
    id,
    title,
    description: descriptions.join('; '),
    draw: (width, narrow) => ({
      height: rows.length * (narrow ? 46 : 34) + 44,
      option: {
        grid: { left: narrow ? 8 : 190, right: 22, top: 4, bottom: 40 },
        xAxis: {
          type: 'value',
          min: 0,
          max: 1,
          name: `share of ${unit}`,
          nameLocation: 'middle',
          nameGap: 24,
          nameTextStyle: TEXT,
          axisLabel: { ...TEXT, formatter: percent },
          axisLine: AXIS_LINE,
          splitLine: { show: false },
        },
        yAxis: {
          type: 'category',
          inverse: true,
          data: shares.map(({ label }) => label),
          axisTick: { show: false },
          axisLine: AXIS_LINE,
          axisLabel: narrow
            ? { ...TEXT, inside: true, verticalAlign: 'bottom', padding: [0, 0, 11, 0], margin: 2 }
            : { ...TEXT, width: 175, overflow: 'truncate' },
          z: 10,
        },
        series: parts.map(({ label, style }, part): BarSeriesOption => ({
          type: 'bar',
          name: label,
          stack: 'all',
          silent: true,
          barWidth: narrow ? 20 : 22,
          ...(narrow ? { barGap: 0 } : {}),
          itemStyle: { color: style.color, borderColor: 'var(--page)', borderWidth: 1 },
          label: {
            show: true,
            color: 'var(--on-series)',
            fontSize: 11,
            formatter: ({ value }) => (Number(value) >= THIN[narrow ? 'narrow' : 'wide'] ? percent(Number(value)) : ''),
          },
          data: shares.map(({ of }) => of[part] ?? 0),
        })),
      },
    }),
  };
}
