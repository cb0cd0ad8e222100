import type { FrozenOptions, SavedComparison } from '../views/comparisons.js';
import type { SavedComparisonState } from '../views/leaderboard.js';

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
