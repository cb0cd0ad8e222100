import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ParentClosePolicy,
  condition,
  continueAsNew,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  patched,
  proxyActivities,
  setHandler,
  startChild,
} from '@temporalio/workflow';
import { SIGNAL, type BatchInput, type BatchResult, type ControlActivities } from '../domain/messages.js';
import { shardWorkflowId } from '../domain/queues.js';
import { shardPaused, slotsGranted, type batchShard } from './batch-shard.js';
import { controlOptions } from './activity-options.js';
import { untilEndedElsewhere } from './elsewhere.js';
import { createSlots, giveBack, grant, nextGrant, shardClosed, slotsPerReturn } from './slots.js';

const control = proxyActivities<ControlActivities>(controlOptions);

export const batchChanged = defineSignal(SIGNAL.batchChanged);
export const slotsReturned = defineSignal<[{ shard: number; slots: number }]>(SIGNAL.slotsReturned);

/**
 * All runs of a batch, shard by shard, within one window. The database is the truth: rows are read at each start, and again when a
 * signal says that they changed (paused, resumed, runs added). Shards skip ended runs.
 */
export async function batch({ batchId }: BatchInput): Promise<BatchResult> {
  let changed = false;
  setHandler(batchChanged, () => {
    changed = true;
  });
  // Set handlers before the first await: shards of an earlier start signal at once.
  const early: { shard: number; slots: number }[] = [];
  let onReturn = (back: { shard: number; slots: number }): void => void early.push(back);
  setHandler(slotsReturned, (back) => onReturn(back));

  await control.startBatch({ batchId });
  let state = await control.batchState({ batchId });
  const slots = createSlots(state.concurrency);
  onReturn = ({ shard, slots: count }) => giveBack(slots, shard, count);
  let waiting = state.openShards;
  let lastShard = Math.max(-1, ...waiting);
  const running = new Map<number, Promise<void>>();
  let cancelled = false;
  let runs = 0;
  let pauseSeconds = 1;

  /** Returns when the shard can be signalled. */
  const start = async (shard: number, count: number): Promise<void> => {
    waiting = waiting.filter((other) => other !== shard);
    let started = false;
    const play = async (): Promise<void> => {
      try {
        const played = await oneShard(batchId, shard, count, state, () => (started = true));
        runs += played;
      } catch (error) {
        if (isCancellation(error)) cancelled = true;
        // Its unfinished runs are found in the database.
        else log.error('a shard failed', { batchId, shard, error: String(error) });
      } finally {
        started = true;
        shardClosed(slots, shard);
        running.delete(shard);
      }
    };
    running.set(shard, play());
    for (const back of early.filter((one) => one.shard === shard)) giveBack(slots, shard, back.slots);
    await condition(() => started);
  };
  const reload = async (): Promise<void> => {
    changed = false;
    const before = state;
    state = await control.batchState({ batchId });
    const added = state.openShards.filter((shard) => shard > lastShard);
    lastShard = Math.max(lastShard, ...added);
    waiting = [...waiting, ...added];
    slots.free += state.concurrency - before.concurrency;
    if (before.paused !== state.paused)
      await Promise.all([...running.keys()].map((shard) => tell(batchId, shard, { paused: state.paused })));
  };

  try {
    for (;;) {
      if (changed) await reload();
      const next = state.paused ? null : nextGrant(slots, waiting);
      if (next !== null) {
        grant(slots, next.shard, next.slots);
        if (next.start) await start(next.shard, next.slots);
        else await tell(batchId, next.shard, { slots: next.slots });
        continue;
      }
      if (running.size > 0 || waiting.length > 0) {
        await condition(
          () =>
            changed ||
            cancelled ||
            (running.size === 0 && waiting.length === 0) ||
            (!state.paused && nextGrant(slots, waiting) !== null),
        );
        if (cancelled) break;
        continue;
      }
      // Histories of before `allocates` have no such state.
      if (state.allocates === true && patched('attempts-auto')) {
        const { added } = await control.nextAttempts({ batchId });
        if (added > 0) {
          await reload();
          continue;
        }
      }
      const finished = await control.finishBatch({ batchId, cancelled: false });
      if (finished && !changed) return { runs };
      // Runs were added meanwhile; or a run's workflow failed, and is to be restarted after a pause.
      if (!changed) {
        await condition(() => changed, pauseSeconds * 1000);
        pauseSeconds = Math.min(pauseSeconds * 2, 300);
      }
      const { openShards } = await control.batchState({ batchId });
      waiting = openShards;
      lastShard = Math.max(lastShard, ...openShards);
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  await CancellationScope.nonCancellable(async () => {
    await Promise.all(running.values());
    changed = false;
    await control.finishBatch({ batchId, cancelled: true });
  });
  // Do not cancel runs that a retry added while the batch was ending.
  if (changed) await continueAsNew<typeof batch>({ batchId });
  return { runs };
}

/** By id, since an earlier start of this batch may have started it. A shard that has just closed needs no signal. */
async function tell(batchId: string, shard: number, what: { paused: boolean } | { slots: number }): Promise<void> {
  const handle = getExternalWorkflowHandle(shardWorkflowId(batchId, shard));
  try {
    if ('slots' in what) await handle.signal(slotsGranted, what);
    else await handle.signal(shardPaused, what);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('a shard closed before it could be signalled', { batchId, shard });
  }
}

async function oneShard(
  batchId: string,
  shard: number,
  slots: number,
  { concurrency, paused }: { concurrency: number; paused: boolean },
  onStarted: () => void,
): Promise<number> {
  const workflowId = shardWorkflowId(batchId, shard);
  try {
    const child = await startChild<typeof batchShard>('batchShard', {
      workflowId,
      args: [{ batchId, shard, slots, slotsPerReturn: slotsPerReturn(concurrency), paused }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
    onStarted();
    return (await child.result()).runs;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await tell(batchId, shard, { paused });
    onStarted();
    await untilEndedElsewhere(workflowId, () => control.shardEnded({ batchId, shard }));
    return 0;
  }
}
