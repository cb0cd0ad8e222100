import type { BatchStatusReport, BatchSummary, ListedBatch } from '../../views/batches.js';

/** Batches by reference, with the state of their runs. */
export interface BatchReads {
  /** By id, name, or an unambiguous beginning or end of an id; undefined: the latest batch. */
  findBatch(ref: string | undefined): Promise<BatchSummary>;
  /** Newest first, up to the limit, with the total. */
  listBatches(limit?: number): Promise<{ batches: ListedBatch[]; total: number }>;
  batchStatus(batchId: string): Promise<BatchStatusReport>;
}
