import type { BatchReads } from '../../domain/ports/reading/batches.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type BatchesRequest, batchesRequestSchema } from '../../domain/requests/reading.js';
import type { ListedBatch } from '../../domain/views/batches.js';

/** Newest first, up to a limit, and their total number. */
export async function listBatches(
  { queries }: { queries: Pick<BatchReads, 'listBatches'> },
  request: BatchesRequest = {},
): Promise<{ batches: ListedBatch[]; total: number }> {
  const { limit, archived, tag = null } = checkedRequest(batchesRequestSchema, request);
  return queries.listBatches(limit, { archived, tag });
}
