import type { PauseDocument } from '../../domain/views/batch-control.js';
import { tellBatch } from '../../temporal/tell-batch.js';
import type { Bench } from '../bench.js';

/** Starts no more runs of a batch, until it is resumed. */
export async function pause(bench: Bench, ref: string): Promise<PauseDocument> {
  const { queries, batchControl } = await bench.database();
  const { batchId } = await queries.findBatch(ref);
  const paused = await batchControl.pause(batchId);
  if (paused) await tellBatch(await bench.temporal(), batchId);
  const { status, byStatus } = await queries.batchStatus(batchId);
  const { queued = 0, ended = 0, ...begun } = byStatus;
  const runningRuns = Object.values(begun).reduce((sum, one) => sum + one, 0);
  return { batchId, paused, status, queuedRuns: queued, runningRuns, endedRuns: ended };
}
