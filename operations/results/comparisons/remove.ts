import type { Comparisons } from '../../../domain/ports/comparisons.js';

/** Removes a saved comparison. Runs and scores stay. */
export const removeComparison = (
  { comparisons }: { comparisons: Pick<Comparisons, 'remove'> },
  name: string,
): Promise<void> => comparisons.remove(name);
