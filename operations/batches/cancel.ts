import type { BatchSummary } from '../../domain/views/batches.js';
import type { RunSummary } from '../../domain/views/runs.js';
import { findRunOrBatch } from '../results/find-run-or-batch.js';
import { cancelBatch, type CancelBatchPorts } from './cancel-batch.js';
import { cancelRun, type CancelRunPorts } from './cancel-run.js';

/** `requested`: false if it was already over. `status`: before the cancellation. */
export type Cancellation =
  | { kind: 'run'; runId: string; requested: boolean; status: RunSummary['status']; endReason: RunSummary['endReason'] }
  | { kind: 'batch'; batchId: string; requested: boolean; status: BatchSummary['status']; unfinishedRuns: number };

export type CancelPorts = Parameters<typeof findRunOrBatch>[0] & CancelBatchPorts & CancelRunPorts;

/** Removes containers and keeps records. Returns once the end is requested, before it happens. */
export async function cancel(ports: CancelPorts, ref: string): Promise<Cancellation> {
  const found = await findRunOrBatch(ports, ref);
  if (found.kind === 'run') {
    const { runId, status, endReason } = found.run;
    if (status === 'ended') return { kind: 'run', runId, requested: false, status, endReason };
    await cancelRun(ports, found.run);
    return { kind: 'run', runId, requested: true, status, endReason: null };
  }
  const { batchId, status, runs, ended } = found.batch;
  const unfinishedRuns = runs - ended;
  if (status === 'cancelled' || status === 'ended' || unfinishedRuns === 0)
    return { kind: 'batch', batchId, requested: false, status, unfinishedRuns: 0 };
  await cancelBatch(ports, batchId);
  return { kind: 'batch', batchId, requested: true, status, unfinishedRuns };
}
