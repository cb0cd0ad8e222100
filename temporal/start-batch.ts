import type { Client } from '@temporalio/client';
import { SIGNAL, type BatchInput } from '../domain/model/messages.js';
import { batchWorkflowId, CONTROL_QUEUE } from '../domain/run/queues.js';

/** Starts the workflow for unfinished runs; a running one is signalled to reread its rows. */
export async function startBatchWorkflow(client: Client, { batchId }: BatchInput): Promise<void> {
  await client.workflow.signalWithStart('batch', {
    workflowId: batchWorkflowId(batchId),
    taskQueue: CONTROL_QUEUE,
    args: [{ batchId }],
    signal: SIGNAL.batchChanged,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
}
