import { blockerOfServices } from '../../domain/blocker.js';
import type { BatchStatusReport } from '../../domain/views/batches.js';
import type { Blocker } from '../../domain/views/blocker.js';
import { serviceStates } from '../../services/index.js';
import type { Bench } from '../bench.js';

/** The service that blocks an unfinished batch; null: all services answer, or the batch is over. */
export async function blockerOfHome(
  { settings }: Pick<Bench, 'settings'>,
  { status, endedAt }: Pick<BatchStatusReport, 'status' | 'endedAt'>,
): Promise<Blocker | null> {
  if (endedAt !== null || status === 'ended' || status === 'cancelled') return null;
  return blockerOfServices(await serviceStates(settings));
}
