import type { Client } from '@temporalio/client';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { BatchLifecycle } from '../../domain/ports/record/batch-lifecycle.js';
import type { RunLifecycle } from '../../domain/ports/record/run-lifecycle.js';
import type { Trees } from '../../domain/ports/record/trees.js';
import { batchWorkflowId, runWorkflowId } from '../../domain/run/queues.js';
import { cancelWorkflow } from '../../temporal/cancel-workflow.js';
import { CANCELLED } from './cancel-run.js';

export interface CancelBatchPorts {
  queries: Pick<BatchReads, 'batchStatus'>;
  store: Pick<BatchLifecycle, 'finishBatch'> & Pick<RunLifecycle, 'finishRun'> & Pick<Trees, 'closeTree'>;
  temporal(): Promise<Client>;
}

/** Ends a batch and its unfinished runs directly where no workflow runs. */
export async function cancelBatch(ports: CancelBatchPorts, batchId: string): Promise<void> {
  const { queries, store } = ports;
  const client = await ports.temporal();
  const running = await cancelWorkflow(client, batchWorkflowId(batchId));
  const { runList } = await queries.batchStatus(batchId);
  const open = runList.filter(({ status }) => status !== 'ended');
  if (running) {
    // A run restarted after a termination in Temporal has no parent workflow: cancel it separately.
    for (const run of open.filter(({ status }) => status !== 'queued'))
      await cancelWorkflow(client, runWorkflowId(run.runId));
    return;
  }
  // Only leftovers of an earlier start are running.
  for (const run of open) {
    if (await cancelWorkflow(client, runWorkflowId(run.runId))) continue;
    // A tree's workflow would end its nodes.
    await store.closeTree(run.runId);
    await store.finishRun(run.runId, CANCELLED);
  }
  await store.finishBatch(batchId, 'cancelled');
}
