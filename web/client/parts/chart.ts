import type { EChartsOption } from 'echarts';

/** What to draw, without a renderer. */
export interface Chart {
  /** Names the figure; unique in the document. */
  id: string;
  title: string;
  /** What it shows, for those who do not see it. */
  description: string;
  /** Of the given width in pixels. */
  draw: (width: number, narrow: boolean) => { height: number; option: EChartsOption };
}

export const TEXT = { color: 'var(--ink)', fontFamily: 'inherit', fontSize: 12 } as const;
export const AXIS_LINE = { lineStyle: { color: 'var(--axis)' } } as const;
export const SPLIT_LINE = { lineStyle: { color: 'var(--grid)' } } as const;
