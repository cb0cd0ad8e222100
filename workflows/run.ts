import {
  ApplicationFailure,
  CancellationScope,
  ParentClosePolicy,
  defineSignal,
  executeChild,
  isCancellation,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import {
  SIGNAL,
  type AgentLoopInput,
  type ControlActivities,
  type HostActivities,
  type Lease,
} from '../domain/messages.js';
import { agentLoopWorkflowId } from '../domain/queues.js';
import { secondsToEnd } from '../domain/run-clock.js';
import type { RunEnd, RunTicket } from '../domain/run.js';
import { containerOptions, controlOptions, placementOptions } from './activity-options.js';
import type { agentLoop } from './agent-loop.js';
import { CONTINUE_AFTER_EVENTS } from './continue-after-events.js';
import { endOfFailure, judgedByTest } from './end-of-run.js';
import { GpuLease } from './gpu-lease.js';
import { MAX_EPOCHS, isHostRefusing, lastEpoch, startHeldContainer } from './held-container.js';
import { HostLost } from './on-host.js';
import type { programLoop } from './program-loop.js';

const control = proxyActivities<ControlActivities>(controlOptions);
const placement = proxyActivities<Pick<ControlActivities, 'placeRun'>>(placementOptions);

export const leaseGranted = defineSignal<[Lease]>(SIGNAL.leaseGranted);

/** One run: owns the lease, the host, the container and their cleanup. Its child takes the steps and may continue as new. */
export async function run(ticket: RunTicket): Promise<RunEnd> {
  const lease = new GpuLease(ticket);
  setHandler(leaseGranted, (granted) => lease.granted(granted));
  const { runId } = ticket;
  let hostId: string | null = null;
  let end: RunEnd | null = null;
  let handedOn = 0;
  /** The host that left last as announced, until the run has a place again. */
  let handedOnBy: string | undefined;
  let from: Pick<AgentLoopInput, 'epoch' | 'step' | 'elapsedMs' | 'ending'> = {
    epoch: 1,
    step: ticket.copiedSteps + 1,
    elapsedMs: 0,
    ending: null,
  };
  try {
    while (end === null) {
      if (from.epoch > lastEpoch(handedOn)) throw ApplicationFailure.nonRetryable(`${MAX_EPOCHS} containers were lost`);
      const seconds = secondsToEnd(ticket, from.elapsedMs);
      const time = seconds === undefined ? {} : { seconds };
      const granted = ticket.gpus > 0 ? await lease.acquire(time) : null;
      const place = granted === null ? time : { hostId: granted.hostId };
      const placed = await placement.placeRun({ runId, epoch: from.epoch, ...place }).catch((error: unknown) => {
        if (isHostRefusing(error)) return null;
        throw error;
      });
      if (placed === null) {
        await lease.giveBack();
        continue;
      }
      hostId = placed.hostId;
      from = { ...from, epoch: placed.epoch };
      const devices = granted?.devices ?? [];
      const token = granted?.token;
      const at = { ticket, hostId, devices, ...(token === undefined ? {} : { token }), ...from };
      const outcome = await onOneHost(handedOn === 0 ? at : { ...at, handedOn }, handedOnBy);
      if ('end' in outcome) end = outcome.end;
      else {
        const { left, ...reached } = outcome.hostLost;
        if (left === true) handedOn += 1;
        handedOnBy = left === true ? hostId : undefined;
        hostId = null;
        from = { ...reached, epoch: reached.epoch + 1 };
        await lease.abandon();
      }
    }
  } catch (error) {
    end = endOfFailure(error);
  }
  const ended = end;
  await CancellationScope.nonCancellable(async () => {
    // First the containers, then the lease: a GPU is leased again only when nothing of ours uses it. If this fails, the pool does both.
    const stopped = hostId === null || (await stopQuietly(hostId, runId));
    if (ticket.gpus > 0 && stopped) await lease.release();
    if (!ticket.hiddenSplit) await control.finishRun({ runId, end: ended });
  });
  if (!ticket.hiddenSplit) return ended;
  const judged = hostId === null ? ended : await judgedByTest(ticket, { hostId, epoch: from.epoch }, ended);
  await CancellationScope.nonCancellable(() => control.finishRun({ runId, end: judged }));
  return judged;
}

/** Run the steps in a container until the run ends or its host is lost. */
async function onOneHost(
  at: Omit<AgentLoopInput, 'continueAfterEvents'>,
  handedOnBy: string | undefined,
): ReturnType<typeof agentLoop> {
  const { ticket, hostId, devices, token, step, elapsedMs, ending, handedOn } = at;
  const { runId } = ticket;
  let { epoch } = at;
  try {
    await startHeldContainer(
      { hostId, epoch, last: lastEpoch(handedOn) },
      (one) => ({
        ...{ runId, epoch: one, devices, ...(token === undefined ? {} : { token }) },
        // In a later epoch: restore all recorded steps.
        replayThrough: ticket.program === true ? 0 : one === 1 ? step - 1 : ticket.maxSteps,
        ...(handedOnBy === undefined || one !== at.epoch ? {} : { handedOnBy }),
      }),
      (one) => (epoch = one),
    );
  } catch (error) {
    if (!(error instanceof HostLost)) throw error;
    return { hostLost: { epoch, step, elapsedMs, ending, ...(error.left ? { left: true as const } : {}) } };
  }
  if (ticket.program === true)
    return executeChild<typeof programLoop>('programLoop', {
      workflowId: agentLoopWorkflowId(runId),
      args: [
        {
          ...{ ticket, hostId, devices, epoch },
          ...(token === undefined ? {} : { token }),
          ...(handedOn === undefined ? {} : { handedOn }),
        },
      ],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    });
  return executeChild<typeof agentLoop>('agentLoop', {
    workflowId: agentLoopWorkflowId(runId),
    args: [{ ...at, epoch, continueAfterEvents: CONTINUE_AFTER_EVENTS }],
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  });
}

/** If the container cannot be removed, the run still ends and the worker's reaper removes it. */
async function stopQuietly(hostId: string, runId: string): Promise<boolean> {
  const options = containerOptions(hostId);
  const brief = { ...options, scheduleToCloseTimeout: '10 minutes' } as const;
  try {
    await proxyActivities<HostActivities>(brief).stopContainer({ runId });
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}
