import type { SavedComparison } from '../../../domain/views/comparisons.js';
import type { SavedComparisonState } from '../../../domain/views/leaderboard.js';
import type { Bench } from '../../bench.js';

/** What a saved comparison fixes, and which of its baselines are others by now. */
export async function showComparison(
  bench: Bench,
  name: string,
): Promise<{ saved: SavedComparison; movedBaselines: SavedComparisonState['movedBaselines'] }> {
  const { comparisons } = await bench.database();
  const saved = await comparisons.find(name);
  const { movedBaselines } = await comparisons.state(saved);
  return { saved, movedBaselines };
}
