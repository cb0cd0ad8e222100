import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { BatchSummary } from '../../domain/views/batches.js';

/** By id, name, or an unambiguous part of the id; by default the latest. */
export const findBatch = (
  { queries }: { queries: Pick<BatchReads, 'findBatch'> },
  ref: string | undefined,
): Promise<BatchSummary> => queries.findBatch(ref);
