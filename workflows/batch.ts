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
  proxyActivities,
  setHandler,
  startChild,
  type ChildWorkflowHandle,
  workflowInfo,
} from '@temporalio/workflow';
import { SIGNAL, type BatchInput, type BatchResult, type ControlActivities } from '../domain/messages.js';
import { shardWorkflowId } from '../domain/queues.js';
import { shardPaused, slotsGranted, type batchShard } from './batch-shard.js';
import { controlOptions } from './activity-options.js';
import { untilEndedElsewhere } from './elsewhere.js';
import { CONTINUE_BATCH_AFTER_EVENTS } from './continue-after-events.js';
import { carriedSlots, createSlots, giveBack, grant, nextGrant, shardClosed, slotsPerReturn } from './slots.js';

const control = proxyActivities<ControlActivities>(controlOptions);

const batchChanged = defineSignal(SIGNAL.batchChanged);
const shardEnded = defineSignal<[{ shard: number; runs: number }]>(SIGNAL.shardEnded);
const slotsReturned = defineSignal<[{ shard: number; slots: number }]>(SIGNAL.slotsReturned);

/**
 * All runs of a batch, shard by shard, within one window. The database is the truth: rows are read at each start, and again when a
 * signal says that they changed (paused, resumed, runs added). Shards skip ended runs. A batch of many shards continues in fresh
 * histories, each of which is replayed quickly.
 */
export async function batch(input: BatchInput): Promise<BatchResult> {
  const { batchId, carried } = input;
  let changed = false;
  setHandler(batchChanged, () => {
    changed = true;
  });
  // Set handlers before the first await: shards of an earlier start signal at once.
  const early: { shard: number; slots: number }[] = [];
  let onReturn = (back: { shard: number; slots: number }): void => void early.push(back);
  setHandler(slotsReturned, (back) => onReturn(back));
  /** Runs that each has played. */
  const signalled = new Map<number, number>();
  setHandler(shardEnded, (end) => void signalled.set(end.shard, end.runs));

  if (carried === undefined) await control.startBatch({ batchId });
  let state = await control.batchState({ batchId });
  const slots = carried === undefined ? createSlots(state.concurrency) : carriedSlots(carried, state.concurrency);
  onReturn = ({ shard, slots: count }) => giveBack(slots, shard, count);
  let waiting = state.openShards.filter((shard) => !slots.shards.has(shard));
  let lastShard = Math.max(-1, ...state.openShards);
  const running = new Map<number, Promise<void>>();
  let cancelled = false;
  let runs = carried?.runs ?? 0;
  let pauseSeconds = 1;

  /** Until the shard has ended; it is running by then. `play` returns how many runs it has played. */
  const attend = (shard: number, play: () => Promise<number>): void => {
    const attended = async (): Promise<void> => {
      try {
        const played = await play();
        runs += played;
      } catch (error) {
        if (isCancellation(error)) cancelled = true;
        // Its unfinished runs are found in the database.
        else log.error('a shard failed', { batchId, shard, error: String(error) });
      } finally {
        shardClosed(slots, shard);
        running.delete(shard);
      }
    };
    running.set(shard, attended());
    for (const back of early.filter((one) => one.shard === shard)) giveBack(slots, shard, back.slots);
  };
  const follow = async (shard: number): Promise<number> => {
    await untilEndedElsewhere(
      shardWorkflowId(batchId, shard),
      // One that was terminated ends no more runs: it is started again, for those that are left.
      async () =>
        (await control.shardEnded({ batchId, shard })) || !(await tell(batchId, shard, { paused: state.paused })),
      () => signalled.has(shard),
    );
    return signalled.get(shard) ?? 0;
  };
  /** Returns when the shard can be signalled. */
  const start = async (shard: number, count: number): Promise<void> => {
    waiting = waiting.filter((other) => other !== shard);
    signalled.delete(shard);
    let started = false;
    attend(shard, async () => {
      try {
        const child = await startShard(batchId, shard, count, state);
        started = true;
        return child === null ? await follow(shard) : (await child.result()).runs;
      } finally {
        started = true;
      }
    });
    await condition(() => started);
  };
  const tellPaused = () =>
    Promise.all([...running.keys()].map((shard) => tell(batchId, shard, { paused: state.paused })));
  const reload = async (): Promise<void> => {
    changed = false;
    const before = state;
    state = await control.batchState({ batchId });
    const added = state.openShards.filter((shard) => shard > lastShard);
    lastShard = Math.max(lastShard, ...added);
    waiting = [...waiting, ...added];
    // While the batch is paused, it starts no shards, and runs that were restarted alone end without one.
    waiting = waiting.filter((shard) => state.openShards.includes(shard));
    slots.free += state.concurrency - before.concurrency;
    // Shards read the row, too; their last signal is never older than what they read.
    await tellPaused();
  };
  /** Only while nothing but shards is awaited. */
  const freshHistory = async (): Promise<void> => {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    const most = input.continueAfterEvents ?? CONTINUE_BATCH_AFTER_EVENTS;
    if (changed || cancelled || (historyLength < most && !continueAsNewSuggested)) return;
    // A shard that has said how many runs it played is about to close: its count would be lost.
    if ([...running.keys()].some((shard) => signalled.has(shard))) return;
    const shards = [...slots.shards].map(([shard, of]) => ({ shard, ...of }));
    const { concurrency, paused } = state;
    await continueAsNew<typeof batch>({ ...input, carried: { shards, free: slots.free, concurrency, paused, runs } });
  };

  try {
    for (const shard of slots.shards.keys()) attend(shard, () => follow(shard));
    if (carried !== undefined && carried.paused !== state.paused) await tellPaused();
    for (;;) {
      if (changed) await reload();
      await freshHistory();
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
      if (state.allocates === true) {
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

/** By id, since an earlier start of this batch may have started it. False: it has closed, and needs no signal. */
async function tell(batchId: string, shard: number, what: { paused: boolean } | { slots: number }): Promise<boolean> {
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

/** Null: an earlier start of this batch has started it. */
async function startShard(
  batchId: string,
  shard: number,
  slots: number,
  { concurrency, paused }: { concurrency: number; paused: boolean },
): Promise<ChildWorkflowHandle<typeof batchShard> | null> {
  try {
    return await startChild<typeof batchShard>('batchShard', {
      workflowId: shardWorkflowId(batchId, shard),
      args: [{ batchId, shard, slots, slotsPerReturn: slotsPerReturn(concurrency), paused }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await tell(batchId, shard, { paused });
    return null;
  }
}
