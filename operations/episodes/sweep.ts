import type { Client } from '@temporalio/client';
import type { Episodes } from '../../domain/ports/episodes.js';
import type { RunLifecycle } from '../../domain/ports/record/run-lifecycle.js';
import { startRunWorkflow } from '../../temporal/start-run.js';
import { CANCELLED, cancelRun } from '../batches/cancel-run.js';

/** Their own clients are just starting younger ones. */
const OLD_SECONDS = 3;

export type SweepPorts = Parameters<typeof cancelRun>[0] & {
  episodes: Pick<Episodes, 'notBegun' | 'expired'>;
  store: Pick<RunLifecycle, 'finishRun'>;
  temporal(): Promise<Client>;
};

/**
 * Finishes the work of a server that died and of clients that went away: episodes with an action
 * are started, those without a request for too long are given up. To be called every few seconds;
 * several callers do no harm.
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
