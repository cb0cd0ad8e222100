import type { Statements } from '../statements.js';
import { missingBatch } from '../store/missing.js';
import { listRuns } from './runs.js';
import { BATCH_SUMMARY, type BatchSummary, batchSummary, type BatchSummaryRow, type RunSummary } from './summaries.js';

export interface BatchStatusReport extends BatchSummary {
  byStatus: Record<string, number>;
  byEndReason: Record<string, number>;
  /** In submission order. */
  runList: RunSummary[];
}

export async function listBatches(run: Statements, limit: number): Promise<BatchSummary[]> {
  const rows = await run<BatchSummaryRow>(
    'listBatches',
    `${BATCH_SUMMARY} order by b.created_at desc, b.batch_id desc limit $1`,
    [limit],
  );
  return rows.map(batchSummary);
}

export async function batchStatus(run: Statements, batchId: string): Promise<BatchStatusReport> {
  const [row] = await run<BatchSummaryRow>('batchStatus', `${BATCH_SUMMARY} where b.batch_id = $1`, [batchId]);
  if (row === undefined) throw missingBatch(batchId);
  const runList = await listRuns(run, { batchId, limit: row.runs }, 'r.ordinal');
  const count = (words: (string | null)[]) => {
    const counts: Record<string, number> = {};
    for (const word of words) if (word !== null) counts[word] = (counts[word] ?? 0) + 1;
    return counts;
  };
  return {
    ...batchSummary(row),
    byStatus: count(runList.map((r) => r.status)),
    byEndReason: count(runList.map((r) => r.endReason)),
    runList,
  };
}
