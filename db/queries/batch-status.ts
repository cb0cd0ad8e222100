import type { BatchSummary, RunSummary } from './summaries.js';

export interface BatchStatusReport extends BatchSummary {
  byStatus: Record<string, number>;
  byEndReason: Record<string, number>;
  /** In submission order. */
  runList: RunSummary[];
}
