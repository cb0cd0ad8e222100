import type { BatchSummary } from '../../domain/views/batches.js';
import type { Bench } from '../bench.js';

/** A batch by its id, its name, or an unambiguous part of the id; the latest where none is named. */
export const findBatch = async (bench: Bench, ref: string | undefined): Promise<BatchSummary> =>
  (await bench.database()).queries.findBatch(ref);
