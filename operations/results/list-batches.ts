import type { ListedBatch } from '../../domain/views/batches.js';
import type { Bench } from '../bench.js';

/** Batches, newest first, at most so many, and how many there are. */
export const listBatches = async (bench: Bench, limit: number): Promise<{ batches: ListedBatch[]; total: number }> =>
  (await bench.database()).queries.listBatches(limit);
