import type { Breakdown } from './breakdown-chart.js';
import type { Chart } from './chart.js';
import type { LegendEntry } from './series.js';
import type { ReportTable } from './table.js';

/** Parts of a section, in order, for any format. */
export type SectionPart =
  | { kind: 'text'; text: string }
  | { kind: 'table'; table: ReportTable; shades?: true }
  | { kind: 'chart'; chart: Chart; legend?: { entries: LegendEntry[]; form: 'line' | 'area'; narrow?: true } }
  | { kind: 'breakdown'; breakdown: Breakdown };

export interface Section {
  id: string;
  title: string;
  parts: SectionPart[];
}
