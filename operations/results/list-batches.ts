import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { ListedBatch } from '../../domain/views/batches.js';

/** Newest first, up to a limit, and their total number. */
export const listBatches = (
  { queries }: { queries: Pick<BatchReads, 'listBatches'> },
  limit: number,
): Promise<{ batches: ListedBatch[]; total: number }> => queries.listBatches(limit);
