import type { Client } from '@temporalio/client';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { BatchControl } from '../../domain/ports/record/batch-control.js';
import type { BatchSummary } from '../../domain/views/batches.js';
import { startBatchWorkflow } from '../../temporal/start-batch.js';
import { shareFrozen, type ShareTasksPorts } from './share-tasks.js';

export type ResumePorts = ShareTasksPorts & {
  queries: Pick<BatchReads, 'findBatch' | 'listBatches'>;
  batchControl: Pick<BatchControl, 'openTasks' | 'unpause'>;
  renewWorker(): Promise<unknown>;
  temporal(): Promise<Client>;
};

export interface ResumedBatch {
  batchId: string;
  /** False: it was over, and nothing was started. */
  resumed: boolean;
  status: BatchSummary['status'];
  unfinishedRuns: number;
}

/** Includes a batch whose runs have all ended but whose own end is not written yet. */
const unfinished = (batch: BatchSummary): boolean => batch.status !== 'cancelled' && batch.status !== 'ended';

/** Default: all unfinished batches that are not paused. Idempotent: nothing runs twice. */
export async function resume(ports: ResumePorts, ref: string | undefined): Promise<ResumedBatch[]> {
  await ports.renewWorker();
  const { queries, batchControl } = ports;
  const chosen =
    ref === undefined
      ? (await queries.listBatches(10_000)).batches.filter((batch) => unfinished(batch) && batch.pausedAt === null)
      : [await queries.findBatch(ref)];
  const client = await ports.temporal();
  const outcomes: ResumedBatch[] = [];
  for (const batch of chosen) {
    const { batchId, status } = batch;
    const resumed = unfinished(batch);
    if (resumed) {
      await shareFrozen(ports, await batchControl.openTasks(batchId));
      if (batch.pausedAt !== null) await batchControl.unpause(batchId);
      await startBatchWorkflow(client, batch);
    }
    outcomes.push({ batchId, resumed, status, unfinishedRuns: batch.runs - batch.ended });
  }
  return outcomes;
}
