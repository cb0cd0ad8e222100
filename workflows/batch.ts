import {
  CancellationScope,
  ParentClosePolicy,
  executeChild,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { BatchInput, BatchResult, ControlActivities } from '../domain/messages.js';
import { shardWorkflowId } from '../domain/queues.js';
import type { batchShard } from './batch-shard.js';
import { controlOptions } from './activity-options.js';
import { shardWindows } from './shard-windows.js';

const control = proxyActivities<ControlActivities>(controlOptions);

/** All runs of a batch, shard by shard; resuming is starting it again: shards skip what has ended. */
export async function batch(input: BatchInput): Promise<BatchResult> {
  await control.startBatch({ batchId: input.batchId });
  let cancelled = false;
  let runs = 0;
  const shards = Array.from({ length: input.shards }, (_, shard) => shard);
  const worker = async (window: number): Promise<void> => {
    for (let shard = shards.shift(); shard !== undefined; shard = shards.shift()) {
      const result = await executeChild<typeof batchShard>('batchShard', {
        workflowId: shardWorkflowId(input.batchId, shard),
        args: [{ batchId: input.batchId, shard, window }],
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      });
      runs += result.runs;
    }
  };
  try {
    await Promise.all(shardWindows(input.shards, input.concurrency).map(worker));
  } catch (error) {
    if (!isCancellation(error)) throw error;
    cancelled = true;
  }
  await CancellationScope.nonCancellable(() => control.finishBatch({ batchId: input.batchId, cancelled }));
  return { runs };
}
