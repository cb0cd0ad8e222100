import type { Client } from '@temporalio/client';
import { SIGNAL, type BatchInput } from '../domain/model/messages.js';
import { batchWorkflowId, CONTROL_QUEUE } from '../domain/run/queues.js';

/**
 * Start the batch's workflow for its unfinished runs. One that is already running is signalled to reread its rows, since runs may
 * have been added, or the batch paused or resumed.
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
