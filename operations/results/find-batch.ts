import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { BatchSummary } from '../../domain/views/batches.js';

/** A batch by its id, its name, or an unambiguous part of the id; the latest where none is named. */
export const findBatch = (
  { queries }: { queries: Pick<BatchReads, 'findBatch'> },
  ref: string | undefined,
): Promise<BatchSummary> => queries.findBatch(ref);
