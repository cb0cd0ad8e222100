import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
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
import { untilEndedElsewhere } from './elsewhere.js';
import { shardWindows } from './shard-windows.js';

const control = proxyActivities<ControlActivities>(controlOptions);

/** All runs of a batch, shard by shard; resuming is starting it again: shards skip what has ended. */
export async function batch(input: BatchInput): Promise<BatchResult> {
  await control.startBatch({ batchId: input.batchId });
  let cancelled = false;
  let runs = 0;
  const shards = Array.from({ length: input.shards }, (_, shard) => shard);
  const lane = async (window: number): Promise<void> => {
    for (let shard = shards.shift(); shard !== undefined; shard = shards.shift()) {
      try {
        runs += await oneShard(input.batchId, shard, window);
      } catch (error) {
        if (!isCancellation(error)) throw error;
        cancelled = true;
      }
    }
  };
  await Promise.all(shardWindows(input.shards, input.concurrency).map(lane));
  await CancellationScope.nonCancellable(() => control.finishBatch({ batchId: input.batchId, cancelled }));
  return { runs };
}

async function oneShard(batchId: string, shard: number, window: number): Promise<number> {
  const workflowId = shardWorkflowId(batchId, shard);
  try {
    const result = await executeChild<typeof batchShard>('batchShard', {
      workflowId,
      args: [{ batchId, shard, window }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
    return result.runs;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await untilEndedElsewhere(workflowId, () => control.shardEnded({ batchId, shard }));
    return 0;
  }
}
