import {
  type FrozenOptions,
  removeComparison,
  saveComparison,
  type SavedComparison,
  savedComparison,
  savedComparisons,
} from './queries/comparisons.js';
import type { Statements } from './statements.js';

/** Comparisons saved under names. `find` and `remove` throw BenchError (not_found), `save` BenchError (usage) if the name is taken. */
export interface Comparisons {
  save(name: string, options: FrozenOptions): Promise<SavedComparison>;
  /** By name. */
  list(): Promise<SavedComparison[]>;
  find(name: string): Promise<SavedComparison>;
  remove(name: string): Promise<void>;
}

export const comparisons = (run: Statements): Comparisons => ({
  save: (name, options) => saveComparison(run, name, options),
  list: () => savedComparisons(run),
  find: (name) => savedComparison(run, name),
  remove: (name) => removeComparison(run, name),
});
