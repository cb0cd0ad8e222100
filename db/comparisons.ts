import {
  comparisonState,
  removeComparison,
  saveComparison,
  savedComparison,
  savedComparisons,
} from './queries/comparisons.js';
import type { Statements } from './statements.js';
import type { FrozenOptions, SavedComparison } from '../domain/views/comparisons.js';
import type { SavedComparisonState } from '../domain/views/leaderboard.js';

/** Saved comparisons. `find` and `remove` throw BenchError (not_found), `save` BenchError (usage) if the name is taken. */
export interface Comparisons {
  save(name: string, options: FrozenOptions): Promise<SavedComparison>;
  /** By name. */
  list(): Promise<SavedComparison[]>;
  find(name: string): Promise<SavedComparison>;
  /** What has changed since. */
  state(saved: SavedComparison): Promise<SavedComparisonState>;
  remove(name: string): Promise<void>;
}

export const comparisons = (run: Statements): Comparisons => ({
  save: (name, options) => saveComparison(run, name, options),
  list: () => savedComparisons(run),
  find: (name) => savedComparison(run, name),
  state: (saved) => comparisonState(run, saved),
  remove: (name) => removeComparison(run, name),
});
