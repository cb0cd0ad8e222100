import type { Rollouts } from '../../domain/ports/rollouts.js';

/** Marks captured calls as removable, by any id. Returns the given ids of ended rollouts. */
export const acknowledgeRollouts = (
  { rollouts }: { rollouts: Pick<Rollouts, 'acknowledge'> },
  batchId: string,
  ids: readonly string[],
): Promise<string[]> => rollouts.acknowledge(batchId, ids);
