import type { Comparisons } from '../../../domain/ports/comparisons.js';
import type { SavedComparison } from '../../../domain/views/comparisons.js';

/** Saved comparisons, by name. */
export const listComparisons = ({
  comparisons,
}: {
  comparisons: Pick<Comparisons, 'list'>;
}): Promise<SavedComparison[]> => comparisons.list();
