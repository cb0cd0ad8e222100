import type { FrozenOptions, SavedComparison } from '../views/comparisons.js';
import type { SavedComparisonState } from '../views/leaderboard.js';

/** `find` and `remove` throw BenchError (not_found); `save` BenchError (usage) for a taken name. */
export interface Comparisons {
  save(name: string, options: FrozenOptions): Promise<SavedComparison>;
  /** By name. */
  list(): Promise<SavedComparison[]>;
  find(name: string): Promise<SavedComparison>;
  state(saved: SavedComparison): Promise<SavedComparisonState>;
  remove(name: string): Promise<void>;
}
