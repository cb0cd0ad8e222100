import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { BatchInput, BatchResult, ControlActivities } from '../domain/model/messages.js';
import { controlOptions } from './activity-options.js';
import { type BatchProgress, receiveSignals } from './batch-progress.js';
import { CONTINUE_BATCH_AFTER_EVENTS } from './continue-after-events.js';
import { followStarted, signalPaused, signalShard, startAndFollow } from './followed-shards.js';
import { carriedSlots, createSlots, giveBack, grant, nextGrant } from './run-slots.js';

const control = proxyActivities<ControlActivities>(controlOptions);

/**
 * Plays a batch shard by shard within one window. Rows are the truth: read at the start, and when a
 * signal says that they changed. Long batches continue in fresh histories, which replay quickly.
 */
export async function batch(input: BatchInput): Promise<BatchResult> {
  const { batchId, carried } = input;
  const signals = receiveSignals();
  if (carried === undefined) await control.startBatch({ batchId });
  const state = await control.batchState({ batchId });
  const slots = carried === undefined ? createSlots(state.concurrency) : carriedSlots(carried, state.concurrency);
  signals.onReturn = (back) => giveBack(slots, back.shard, back.slots);
  const progress: BatchProgress = {
    ...{ batchId, signals, state, slots },
    waiting: state.openShards.filter((shard) => !slots.shards.has(shard)),
    lastShard: Math.max(-1, ...state.openShards),
    running: new Map(),
    cancelled: false,
    runs: carried?.runs ?? 0,
  };
  try {
    for (const shard of slots.shards.keys()) followStarted(progress, shard);
    if (carried !== undefined && carried.paused !== state.paused) await signalPaused(progress);
    if (await playToEnd(progress, input)) return { runs: progress.runs };
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  await CancellationScope.nonCancellable(async () => {
    await Promise.all(progress.running.values());
    signals.changed = false;
    await control.finishBatch({ batchId, cancelled: true });
  });
  // Do not cancel runs that a retry added while the batch was ending.
  if (signals.changed) await continueAsNew<typeof batch>({ batchId });
  return { runs: progress.runs };
}

/** False: a shard was cancelled, and so is the batch. */
async function playToEnd(progress: BatchProgress, input: BatchInput): Promise<boolean> {
  const { batchId, signals, slots, running } = progress;
  let pauseSeconds = 1;
  for (;;) {
    if (signals.changed) await reload(progress);
    await continueInFreshHistory(progress, input);
    const next = progress.state.paused ? null : nextGrant(slots, progress.waiting);
    if (next !== null) {
      grant(slots, next.shard, next.slots);
      if (next.start) await startAndFollow(progress, next.shard, next.slots);
      else await signalShard(progress, next.shard, { slots: next.slots });
      continue;
    }
    if (running.size > 0 || progress.waiting.length > 0) {
      await condition(() => hasNews(progress));
      if (progress.cancelled) return false;
      continue;
    }
    if (progress.state.allocates === true) {
      const { added } = await control.nextAttempts({ batchId });
      if (added > 0) {
        await reload(progress);
        continue;
      }
    }
    const finished = await control.finishBatch({ batchId, cancelled: false });
    if (finished && !signals.changed) return true;
    // Runs were added meanwhile; or a run's workflow failed, and restarts after a pause.
    if (!signals.changed) {
      await condition(() => signals.changed, pauseSeconds * 1000);
      pauseSeconds = Math.min(pauseSeconds * 2, 300);
    }
    const { openShards } = await control.batchState({ batchId });
    progress.waiting = openShards;
    progress.lastShard = Math.max(progress.lastShard, ...openShards);
  }
}

const hasNews = ({ signals, cancelled, running, waiting, state, slots }: BatchProgress): boolean =>
  signals.changed ||
  cancelled ||
  (running.size === 0 && waiting.length === 0) ||
  (!state.paused && nextGrant(slots, waiting) !== null);

async function reload(progress: BatchProgress): Promise<void> {
  const { batchId, signals, slots } = progress;
  signals.changed = false;
  const before = progress.state;
  const state = await control.batchState({ batchId });
  progress.state = state;
  const added = state.openShards.filter((shard) => shard > progress.lastShard);
  progress.lastShard = Math.max(progress.lastShard, ...added);
  // A paused batch starts no shards; runs restarted alone end without one.
  progress.waiting = [...progress.waiting, ...added].filter((shard) => state.openShards.includes(shard));
  slots.free += state.concurrency - before.concurrency;
  // Shards read the row, too; their last signal is never older than what they read.
  await signalPaused(progress);
}

/** Only while nothing but shards is awaited. */
async function continueInFreshHistory(progress: BatchProgress, input: BatchInput): Promise<void> {
  const { signals, cancelled, slots, running, runs } = progress;
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  const most = input.continueAfterEvents ?? CONTINUE_BATCH_AFTER_EVENTS;
  if (signals.changed || cancelled || (historyLength < most && !continueAsNewSuggested)) return;
  // A shard that has reported its runs is about to close: its count would be lost.
  if ([...running.keys()].some((shard) => signals.ended.has(shard))) return;
  const shards = [...slots.shards].map(([shard, of]) => ({ shard, ...of }));
  const { concurrency, paused } = progress.state;
  await continueAsNew<typeof batch>({ ...input, carried: { shards, free: slots.free, concurrency, paused, runs } });
}
