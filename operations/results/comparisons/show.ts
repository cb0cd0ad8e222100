import type { Comparisons } from '../../../domain/ports/comparisons.js';
import type { SavedComparison } from '../../../domain/views/comparisons.js';
import type { SavedComparisonState } from '../../../domain/views/leaderboard.js';

/** What a saved comparison fixes, and which of its baselines are others by now. */
export async function showComparison(
  { comparisons }: { comparisons: Pick<Comparisons, 'find' | 'state'> },
  name: string,
): Promise<{ saved: SavedComparison; changedBaselines: SavedComparisonState['changedBaselines'] }> {
  const saved = await comparisons.find(name);
  const { changedBaselines } = await comparisons.state(saved);
  return { saved, changedBaselines };
}
