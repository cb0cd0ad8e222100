import { CancellationScope, continueAsNew, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import { SIGNAL, type ControlActivities, type Lease } from '../domain/model/messages.js';
import type { RunEnd, RunTicket } from '../domain/run/run.js';
import { controlOptions } from './activity-options.js';
import { endOfFailure, judgedByTest, placeForTest } from './end-of-run.js';
import { GpuLease } from './gpu-lease.js';
import { oneRun } from './one-run.js';

const control = proxyActivities<ControlActivities>(controlOptions);
const leaseGranted = defineSignal<[Lease]>(SIGNAL.leaseGranted);

/** A node's workflow ends without its run only if an operator terminates it. */
const MOST_STARTS = 3;

/**
 * About 18 events each; Temporal suggests a fresh history at 4,096. A count of nodes is the same in
 * every replay.
 */
const NODES_PER_HISTORY = 220;

/**
 * A run that is a tree of forks, each its own run. PostgreSQL decides and remembers which nodes
 * open, so that a restart finds the current wave. Tests the best node's submission once, at the
 * end.
 */
export async function search(ticket: RunTicket, nodesPerHistory = NODES_PER_HISTORY): Promise<RunEnd> {
  const { runId } = ticket;
  let end: RunEnd | null;
  try {
    end =
      (await (ticket.asynchronous === true ? playSteadily : playWaves)(ticket, nodesPerHistory)) === 'over'
        ? await standForBest(ticket)
        : null;
  } catch (error) {
    end = endOfFailure(error);
  }
  if (end === null) return continueAsNew<typeof search>(ticket, nodesPerHistory);
  const ended = end;
  await CancellationScope.nonCancellable(async () => {
    await control.closeTree({ runId });
    await control.finishRun({ runId, end: ended });
  });
  return end;
}

async function playWaves(ticket: RunTicket, nodesPerHistory: number): Promise<'over' | 'long'> {
  const { runId } = ticket;
  for (let nodes = 0; ;) {
    if (nodes >= nodesPerHistory) return 'long';
    const { tickets, ended } = await control.openNodes({ runId });
    if (tickets.length === 0 && ended.length === 0) return 'over';
    nodes += tickets.length + ended.length;
    // Cancelled ones end in their own time.
    const played = await Promise.allSettled([
      ...tickets.map(playNode),
      ...ended.map((nodeRunId) => control.settleNode({ nodeRunId })),
    ]);
    for (const one of played) if (one.status === 'rejected') throw one.reason;
  }
}

/** A node opens as soon as another has ended. */
async function playSteadily({ runId }: RunTicket, nodesPerHistory: number): Promise<'over' | 'long'> {
  const running = new Map<string, Promise<void>>();
  const begin = (nodeRunId: string, play: () => Promise<void>): number => {
    if (running.has(nodeRunId)) return 0;
    const played = play().then(() => void running.delete(nodeRunId));
    // The race below throws it.
    played.catch(() => undefined);
    running.set(nodeRunId, played);
    return 1;
  };
  try {
    for (let nodes = 0; nodes < nodesPerHistory;) {
      const { tickets, ended } = await control.openNodes({ runId });
      for (const ticket of tickets) nodes += begin(ticket.runId, () => playNode(ticket));
      for (const nodeRunId of ended) nodes += begin(nodeRunId, () => control.settleNode({ nodeRunId }));
      if (running.size === 0) return 'over';
      await Promise.race(running.values());
    }
    // A fresh history begins with no node under way.
    await Promise.all(running.values());
    return 'long';
  } catch (error) {
    // Cancelled ones end in their own time.
    await Promise.allSettled(running.values());
    throw error;
  }
}

async function playNode(ticket: RunTicket): Promise<void> {
  const { runId } = ticket;
  for (let starts = 1; ; starts += 1) {
    await oneRun(ticket);
    if (await control.runEnded({ runId })) break;
    if (starts < MOST_STARTS) continue;
    const detail = `its workflow did not end it in ${MOST_STARTS} starts`;
    await control.finishRun({
      runId,
      end: { endReason: 'infra_error', finalEvaluation: 'not_run', detail, cause: 'services' },
    });
  }
  await control.settleNode({ nodeRunId: runId });
}

async function standForBest(ticket: RunTicket): Promise<RunEnd> {
  const { runId } = ticket;
  const { chosen, stopped, lastEnd, lastCause } = await control.chooseNode({ runId });
  const endReason = stopped === 'budget' ? 'budget' : chosen ? 'submit' : 'max_steps';
  const best: RunEnd = { endReason, finalEvaluation: 'ok', detail: null };
  if (chosen && ticket.evaluatorGpu === true) return testedWithLease(ticket, best);
  if (chosen) return judgedByTest(ticket, await placeForTest(runId, 1), best);
  const detail = 'no node of its tree has a score';
  if (lastEnd === 'infra_error' || lastEnd === 'config_error')
    return {
      ...{ endReason: lastEnd, finalEvaluation: 'not_run', detail },
      ...(lastCause == null ? {} : { cause: lastCause }),
    };
  return { endReason, finalEvaluation: endReason === 'budget' ? 'not_run' : 'no_artefact', detail };
}

/** The nodes' leases have ended with them. */
async function testedWithLease(ticket: RunTicket, best: RunEnd): Promise<RunEnd> {
  const lease = new GpuLease(ticket, null);
  setHandler(leaseGranted, (granted) => lease.granted(granted));
  try {
    return await judgedByTest(ticket, await placeForTest(ticket.runId, 1, lease), best, lease);
  } finally {
    await CancellationScope.nonCancellable(() => lease.release());
  }
}
