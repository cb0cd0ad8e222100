import type { ComparisonOptions } from './leaderboard.js';

/** Everything that a saved comparison fixes. */
export type FrozenOptions = ComparisonOptions & {
  models: string[];
  tasks: string[];
  /** Of each task. */
  contracts: Record<string, number>;
  /** Of each task; null: it has none. What its version is measured to have later does not count. */
  baselines: Record<string, number | null>;
  axis: number;
};

export interface SavedComparison {
  name: string;
  createdAt: string;
  options: FrozenOptions;
}
