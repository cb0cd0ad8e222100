import type { Bench } from '../../bench.js';

/** Removes a saved comparison. Runs and scores stay. */
export const removeComparison = async (bench: Bench, name: string): Promise<void> =>
  (await bench.database()).comparisons.remove(name);
