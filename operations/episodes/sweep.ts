import { startRunWorkflow } from '../../temporal/start-run.js';
import { CANCELLED, cancelRun } from '../batches/cancel-run.js';
import type { Bench } from '../bench.js';

/** Younger ones are just being started by whoever wants them. */
const OLD_SECONDS = 3;

/**
 * What a server that died left undone, and what clients left behind: episodes that somebody acted in are started, those that nobody has
 * asked after for too long are given up. To be called every few seconds; several callers do no harm.
 */
export async function sweepEpisodes(bench: Bench): Promise<{ started: number; givenUp: number }> {
  const { episodes, store } = await bench.database();
  const client = await bench.temporal();
  const waiting = await episodes.notBegun(OLD_SECONDS);
  for (const ticket of waiting) await startRunWorkflow(client, ticket);
  const expired = await episodes.expired();
  for (const run of expired) {
    // Nothing was ever started of one that nobody acted in.
    if (run.requested) await cancelRun(bench, run);
    else await store.finishRun(run.runId, CANCELLED);
  }
  return { started: waiting.length, givenUp: expired.length };
}
