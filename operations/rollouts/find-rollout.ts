import type { RolloutRow, Rollouts } from '../../domain/ports/rollouts.js';

/** By the trainer's id or the run's; null: unknown. */
export const findRollout = (
  { rollouts }: { rollouts: Pick<Rollouts, 'find'> },
  id: string,
): Promise<RolloutRow | null> => rollouts.find(id);
