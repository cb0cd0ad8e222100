import {
  CancellationScope,
  CancelledFailure,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import { causeOfEnd } from '../domain/run/end-cause.js';
import { SIGNAL, type BatchResult, type ControlActivities, type ShardInput } from '../domain/model/messages.js';
import { batchWorkflowId } from '../domain/run/queues.js';
import type { RunTicket } from '../domain/run/run.js';
import { controlOptions } from './activity-options.js';
import { oneRun } from './one-run.js';

const control = proxyActivities<ControlActivities>(controlOptions);

export const slotsGranted = defineSignal<[{ slots: number }]>(SIGNAL.slotsGranted);
export const shardPaused = defineSignal<[{ paused: boolean }]>(SIGNAL.pause);

/**
 * Up to SHARD_SIZE runs, as many at a time as it has slots; returns unused slots. Starts none while
 * paused. One run's failure never ends the others.
 */
export async function batchShard(input: ShardInput): Promise<BatchResult> {
  const { batchId, shard } = input;
  let { slots, paused } = input;
  let signalled = 0;
  let rereading = 0;
  setHandler(slotsGranted, (more) => {
    slots += more.slots;
  });
  setHandler(shardPaused, (now) => {
    paused = now.paused;
    signalled += 1;
  });
  const tickets = await control.loadShard({ batchId, shard });
  const waiting = [...tickets];
  const cut: RunTicket[] = [];
  let inFlight = 0;
  /** A failing run may pause the batch: know it before the next start. */
  const reread = async (): Promise<void> => {
    rereading += 1;
    try {
      let [before, was] = [signalled, paused];
      let now = await control.batchState({ batchId });
      // A later signal may be newer than what was read.
      for (; before !== signalled; now = await control.batchState({ batchId })) [before, was] = [signalled, paused];
      ({ paused } = now);
      if (paused && !was) await notifyBatch(batchId, SIGNAL.batchChanged);
    } finally {
      rereading -= 1;
    }
  };
  const play = async (ticket: RunTicket): Promise<void> => {
    try {
      const end = await oneRun(ticket);
      if (end === null || causeOfEnd(end) !== null) await reread();
    } catch (error) {
      if (!isCancellation(error))
        log.error('a run could not be followed', { runId: ticket.runId, error: String(error) });
      else cut.push(ticket);
    } finally {
      inFlight -= 1;
    }
  };
  const canStart = (): boolean => waiting.length > 0 && !paused && rereading === 0 && inFlight < slots;
  const spare = (): number => (waiting.length > 0 ? 0 : slots - inFlight);
  const over = (): boolean => waiting.length === 0 && inFlight === 0;
  try {
    while (!over()) {
      for (let ticket = canStart() ? waiting.shift() : undefined; ticket !== undefined;) {
        inFlight += 1;
        void play(ticket);
        ticket = canStart() ? waiting.shift() : undefined;
      }
      await condition(() => canStart() || over() || spare() >= input.slotsPerReturn || cut.length > 0);
      if (cut.length > 0) break;
      const back = spare();
      if (over() || back < input.slotsPerReturn) continue;
      slots -= back;
      await notifyBatch(batchId, SIGNAL.slotsReturned, { shard, slots: back });
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  // Cancelled while waiting: runs in flight end themselves.
  await CancellationScope.nonCancellable(() => condition(() => inFlight === 0));
  if (cut.length === 0 && waiting.length === 0) {
    await notifyBatch(batchId, SIGNAL.shardEnded, { shard, runs: tickets.length });
    return { runs: tickets.length };
  }
  // Runs that never started are ended here. A run ends once.
  const runIds = [...cut, ...waiting].map(({ runId }) => runId);
  await CancellationScope.nonCancellable(() =>
    control.finishRuns({ runIds, end: { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null } }),
  );
  throw new CancelledFailure('the shard was cancelled');
}

/** A batch that is not running needs no signal: when restarted, it reads our rows. */
async function notifyBatch(batchId: string, signal: string, ...what: object[]): Promise<void> {
  try {
    await getExternalWorkflowHandle(batchWorkflowId(batchId)).signal(signal, ...what);
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
}
