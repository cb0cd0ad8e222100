import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { ListedBatch } from '../../domain/views/batches.js';

/** Batches, newest first, at most so many, and how many there are. */
export const listBatches = (
  { queries }: { queries: Pick<BatchReads, 'listBatches'> },
  limit: number,
): Promise<{ batches: ListedBatch[]; total: number }> => queries.listBatches(limit);
