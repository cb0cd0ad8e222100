import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import type { ControlActivities } from '../domain/model/messages.js';
import { shardWorkflowId } from '../domain/run/queues.js';
import { controlOptions } from './activity-options.js';
import type { BatchProgress } from './batch-progress.js';
import { type batchShard, shardPaused, slotsGranted } from './batch-shard.js';
import { untilEndedElsewhere } from './followed-run.js';
import { giveBack, shardClosed, slotsPerReturn } from './run-slots.js';

const control = proxyActivities<ControlActivities>(controlOptions);

/** Starts a shard and follows it to its end. Returns when it can be signalled. */
export async function startAndFollow(batch: BatchProgress, shard: number, slots: number): Promise<void> {
  batch.waiting = batch.waiting.filter((other) => other !== shard);
  batch.signals.ended.delete(shard);
  let started = false;
  attend(batch, shard, async () => {
    try {
      const child = await startShard(batch, shard, slots);
      started = true;
      return child === null ? await untilEnded(batch, shard) : (await child.result()).runs;
    } finally {
      started = true;
    }
  });
  await condition(() => started);
}

export const followStarted = (batch: BatchProgress, shard: number): void =>
  attend(batch, shard, () => untilEnded(batch, shard));

export const signalPaused = (batch: BatchProgress): Promise<unknown> =>
  Promise.all([...batch.running.keys()].map((shard) => signalShard(batch, shard, { paused: batch.state.paused })));

/** By id, since an earlier start may have started it. False: it has closed. */
export async function signalShard(
  { batchId }: BatchProgress,
  shard: number,
  what: { paused: boolean } | { slots: number },
): Promise<boolean> {
  const handle = getExternalWorkflowHandle(shardWorkflowId(batchId, shard));
  try {
    if ('slots' in what) await handle.signal(slotsGranted, what);
    else await handle.signal(shardPaused, what);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('a shard closed before it could be signalled', { batchId, shard });
    return false;
  }
}

/** Until a running shard has ended. `play` returns the runs it played. */
function attend(batch: BatchProgress, shard: number, play: () => Promise<number>): void {
  const attended = async (): Promise<void> => {
    try {
      const played = await play();
      batch.runs += played;
    } catch (error) {
      if (isCancellation(error)) batch.cancelled = true;
      // Its unfinished runs are found in the database.
      else log.error('a shard failed', { batchId: batch.batchId, shard, error: String(error) });
    } finally {
      shardClosed(batch.slots, shard);
      batch.running.delete(shard);
    }
  };
  batch.running.set(shard, attended());
  for (const back of batch.signals.early.filter((one) => one.shard === shard)) giveBack(batch.slots, shard, back.slots);
}

async function untilEnded(batch: BatchProgress, shard: number): Promise<number> {
  const { batchId } = batch;
  const { ended } = batch.signals;
  await untilEndedElsewhere(
    shardWorkflowId(batchId, shard),
    // A terminated shard is restarted for the runs that are left.
    async () =>
      (await control.shardEnded({ batchId, shard })) ||
      !(await signalShard(batch, shard, { paused: batch.state.paused })),
    () => ended.has(shard),
  );
  return ended.get(shard) ?? 0;
}

async function startShard(
  batch: BatchProgress,
  shard: number,
  slots: number,
): Promise<ChildWorkflowHandle<typeof batchShard> | null> {
  const { batchId } = batch;
  const { concurrency, paused } = batch.state;
  try {
    return await startChild<typeof batchShard>('batchShard', {
      workflowId: shardWorkflowId(batchId, shard),
      args: [{ batchId, shard, slots, slotsPerReturn: slotsPerReturn(concurrency), paused }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await signalShard(batch, shard, { paused });
    return null;
  }
}
