import { blockerOfServices } from '../../domain/run/blocker.js';
import type { BatchStatusReport } from '../../domain/views/batches.js';
import type { Blocker } from '../../domain/views/blocker.js';
import { serviceStates } from '../../services/index.js';
import type { BenchSettings } from '../settings.js';

export interface BlockerSettings {
  settings: Pick<BenchSettings, 'home' | 'temporalAddress' | 'temporalNamespace' | 'env'>;
}

/** The service that blocks an unfinished batch; null: all answer, or the batch is over. */
export async function blockerOfHome(
  { settings }: BlockerSettings,
  { status, endedAt }: Pick<BatchStatusReport, 'status' | 'endedAt'>,
): Promise<Blocker | null> {
  if (endedAt !== null || status === 'ended' || status === 'cancelled') return null;
  return blockerOfServices(await serviceStates(settings));
}
