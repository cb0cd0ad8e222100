import type { ProgressEvents } from '../../domain/ports/progress-events.js';
import type { Bench } from '../bench.js';

/** Listens for runs that ask their player, or end. Close it before the bench. */
export async function openProgress(bench: Bench): Promise<ProgressEvents> {
  const [databaseUrl, { progressListener }] = await Promise.all([bench.databaseUrl(), import('../../db/index.js')]);
  return progressListener(databaseUrl);
}
