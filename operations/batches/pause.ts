import type { Client } from '@temporalio/client';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { BatchControl } from '../../domain/ports/record/batch-control.js';
import type { PauseDocument } from '../../domain/views/batch-control.js';
import { notifyBatch } from '../../temporal/notify-batch.js';

export interface PausePorts {
  queries: Pick<BatchReads, 'findBatch' | 'batchStatus'>;
  batchControl: Pick<BatchControl, 'pause'>;
  temporal(): Promise<Client>;
}

export async function pause(ports: PausePorts, ref: string): Promise<PauseDocument> {
  const { queries, batchControl } = ports;
  const { batchId } = await queries.findBatch(ref);
  const paused = await batchControl.pause(batchId);
  if (paused) await notifyBatch(await ports.temporal(), batchId);
  const { status, byStatus } = await queries.batchStatus(batchId);
  const { queued = 0, ended = 0, ...begun } = byStatus;
  const runningRuns = Object.values(begun).reduce((sum, one) => sum + one, 0);
  return { batchId, paused, status, queuedRuns: queued, runningRuns, endedRuns: ended };
}
