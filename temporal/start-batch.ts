import type { Client } from '@temporalio/client';
import { SIGNAL, type BatchInput } from '../domain/messages.js';
import { batchWorkflowId, CONTROL_QUEUE } from '../domain/queues.js';

/**
 * Start the batch's workflow for what is unfinished; one that runs already is told to look at its rows again, where runs may have been
 * added and a pause begun or ended.
 */
export async function startBatchWorkflow(client: Client, { batchId }: BatchInput): Promise<void> {
  await client.workflow.signalWithStart('batch', {
    workflowId: batchWorkflowId(batchId),
    taskQueue: CONTROL_QUEUE,
    args: [{ batchId }],
    signal: SIGNAL.batchChanged,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
}
