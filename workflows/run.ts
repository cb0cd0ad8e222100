import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  ParentClosePolicy,
  condition,
  defineSignal,
  executeChild,
  isCancellation,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import {
  FAILURE,
  SIGNAL,
  type ControlActivities,
  type HostActivities,
  type Lease,
  type PlacementActivities,
} from '../domain/messages.js';
import { agentLoopWorkflowId } from '../domain/queues.js';
import type { RunEnd, RunTicket } from '../domain/run.js';
import { containerOptions, controlOptions, placementOptions } from './activity-options.js';
import type { agentLoop } from './agent-loop.js';
import { CONTINUE_AFTER_EVENTS } from './continue-after-events.js';

const control = proxyActivities<ControlActivities>(controlOptions);
const placement = proxyActivities<PlacementActivities>(placementOptions);

export const leaseGranted = defineSignal<[Lease]>(SIGNAL.leaseGranted);

/** One run: owns the lease, the container and their cleanup. The steps are in its child, whose history may roll over. */
export async function run(ticket: RunTicket): Promise<RunEnd> {
  let lease: Lease | null = null;
  setHandler(leaseGranted, (granted) => {
    lease ??= granted;
  });
  const { runId } = ticket;
  const epoch = 1;
  let hostId: string | null = null;
  let end: RunEnd;
  try {
    if (ticket.gpus > 0) {
      await control.waitingForGpu({ runId });
      await control.requestLease({ runId, gpus: ticket.gpus, batchId: ticket.batchId });
      await condition(() => lease !== null);
    }
    const granted = lease as Lease | null;
    if (granted !== null) await control.recordLease({ runId, lease: granted });
    hostId = granted?.hostId ?? (await placement.place({ runId }));
    const devices = granted?.devices ?? [];
    await proxyActivities<HostActivities>(containerOptions(hostId)).startContainer({
      runId,
      epoch,
      devices,
      replayThrough: 0,
    });
    const result = await executeChild<typeof agentLoop>('agentLoop', {
      workflowId: agentLoopWorkflowId(runId),
      args: [
        {
          ticket,
          hostId,
          devices,
          epoch,
          step: 1,
          elapsedMs: 0,
          ending: null,
          continueAfterEvents: CONTINUE_AFTER_EVENTS,
        },
      ],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    });
    end = result.end;
  } catch (error) {
    end = endOfFailure(error);
  }
  await CancellationScope.nonCancellable(async () => {
    // The agent's world first, then the lease: a GPU is handed on only when nothing of ours runs on it.
    if (hostId !== null) await stopQuietly(hostId, runId);
    if (ticket.gpus > 0) await control.releaseLease({ runId, token: lease?.token ?? null });
    await control.finishRun({ runId, end });
  });
  return end;
}

/** A container that cannot be removed now is left to the worker's sweep: the run still ends. */
async function stopQuietly(hostId: string, runId: string): Promise<void> {
  const options = containerOptions(hostId);
  const brief = { ...options, scheduleToCloseTimeout: '10 minutes' } as const;
  try {
    await proxyActivities<HostActivities>(brief).stopContainer({ runId });
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
}

function endOfFailure(error: unknown): RunEnd {
  if (isCancellation(error)) return { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null };
  const cause = rootCause(error);
  const endReason =
    cause instanceof ApplicationFailure && cause.type === FAILURE.config ? 'config_error' : 'infra_error';
  return { endReason, finalEvaluation: 'not_run', detail: cause.message.slice(0, 500) };
}

function rootCause(error: unknown): Error {
  let cause = error instanceof Error ? error : new Error(String(error));
  while ((cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure) && cause.cause instanceof Error) {
    cause = cause.cause;
  }
  return cause;
}
