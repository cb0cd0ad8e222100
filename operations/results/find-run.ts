import type { RunSummary } from '../../domain/views/runs.js';
import type { Bench } from '../bench.js';

/** A run by its id or an unambiguous part of it. */
export const findRun = async (bench: Bench, ref: string): Promise<RunSummary> =>
  (await bench.database()).queries.findRun(ref);
