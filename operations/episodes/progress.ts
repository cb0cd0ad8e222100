import type { ProgressEvents } from '../../domain/ports/progress-events.js';

/** Listens for runs that request a turn or end. Close it before the bench. */
export async function openProgress(bench: { databaseUrl(): Promise<string> }): Promise<ProgressEvents> {
  const [url, { progressListener }] = await Promise.all([bench.databaseUrl(), import('../../db/index.js')]);
  return progressListener(url);
}
