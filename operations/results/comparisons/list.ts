import type { SavedComparison } from '../../../domain/views/comparisons.js';
import type { Bench } from '../../bench.js';

/** Saved comparisons, by name. */
export const listComparisons = async (bench: Bench): Promise<SavedComparison[]> =>
  (await bench.database()).comparisons.list();
