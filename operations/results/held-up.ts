import { heldUpByServices } from '../../domain/hold-up.js';
import type { BatchStatusReport } from '../../domain/views/batches.js';
import type { HoldUp } from '../../domain/views/hold-up.js';
import { serviceStates } from '../../services/index.js';
import type { Bench } from '../bench.js';

/** What of the services holds up an unfinished batch; null: they answer, or it is over. */
export async function heldUpByHome(
  { settings }: Pick<Bench, 'settings'>,
  { status, endedAt }: Pick<BatchStatusReport, 'status' | 'endedAt'>,
): Promise<HoldUp | null> {
  if (endedAt !== null || status === 'ended' || status === 'cancelled') return null;
  return heldUpByServices(await serviceStates(settings));
}
