import type { BatchStatusReport, BatchSummary, ListedBatch } from '../../views/batches.js';

export interface BatchFilter {
  /** Also archived ones. */
  archived?: boolean;
  tag?: string | null;
}

export interface BatchReads {
  /** By id, name, or an unambiguous beginning or end of an id; undefined: the latest batch. */
  findBatch(ref: string | undefined): Promise<BatchSummary>;
  /** Newest first, with the total. */
  listBatches(limit?: number, filter?: BatchFilter): Promise<{ batches: ListedBatch[]; total: number }>;
  batchStatus(batchId: string): Promise<BatchStatusReport>;
}
