import type { Rollouts } from '../../domain/ports/rollouts.js';

/**
 * The captured calls of these, by any id, may be removed. Returns the ids, as given, of those that
 * have ended.
 */
export const acknowledgeRollouts = (
  { rollouts }: { rollouts: Pick<Rollouts, 'acknowledge'> },
  batchId: string,
  ids: readonly string[],
): Promise<string[]> => rollouts.acknowledge(batchId, ids);
