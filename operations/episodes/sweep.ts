import type { Client } from '@temporalio/client';
import type { Episodes } from '../../domain/ports/episodes.js';
import type { RunLifecycle } from '../../domain/ports/record/run-lifecycle.js';
import { startRunWorkflow } from '../../temporal/start-run.js';
import { CANCELLED, cancelRun } from '../batches/cancel-run.js';

/** Clients are still starting younger episodes themselves. */
const OLD_SECONDS = 3;

export type SweepPorts = Parameters<typeof cancelRun>[0] & {
  episodes: Pick<Episodes, 'notBegun' | 'expired'>;
  store: Pick<RunLifecycle, 'finishRun'>;
  temporal(): Promise<Client>;
};

/**
 * Recovers from dead servers and absent clients: starts episodes with an action, abandons those
 * without a request for too long. Call it every few seconds; concurrent callers are safe.
 */
export async function sweepEpisodes(ports: SweepPorts): Promise<{ started: number; givenUp: number }> {
  const { episodes, store } = ports;
  const client = await ports.temporal();
  const waiting = await episodes.notBegun(OLD_SECONDS);
  for (const ticket of waiting) await startRunWorkflow(client, ticket);
  const expired = await episodes.expired();
  for (const run of expired) {
    // An episode without an action has no workflow to cancel.
    if (run.requested) await cancelRun(ports, run);
    else await store.finishRun(run.runId, CANCELLED);
  }
  return { started: waiting.length, givenUp: expired.length };
}
