import type { Client } from '@temporalio/client';
import { SHARD_SIZE } from '../../domain/limits.js';
import type { BatchInput } from '../../domain/messages.js';
import { batchWorkflowId, CONTROL_QUEUE } from '../../domain/queues.js';

/** Start the batch's workflow; one that runs already is left alone, one that ended is started again for what is unfinished. */
export async function startBatchWorkflow(
  client: Client,
  batch: { batchId: string; runs: number; concurrency: number },
): Promise<void> {
  const input: BatchInput = {
    batchId: batch.batchId,
    shards: Math.ceil(batch.runs / SHARD_SIZE),
    concurrency: batch.concurrency,
  };
  await client.workflow.start('batch', {
    workflowId: batchWorkflowId(batch.batchId),
    taskQueue: CONTROL_QUEUE,
    args: [input],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
}
