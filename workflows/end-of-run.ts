import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import { causeOfActivity, isEndCause, type EndCause } from '../domain/run/end-cause.js';
import { FAILURE, type ControlActivities, type FailedPart } from '../domain/model/messages.js';
import type { RunEnd, RunTicket } from '../domain/run/run.js';
import { evaluationOptions, placementOptions } from './activity-options.js';
import type { GpuLease } from './gpu-lease.js';
import { isHostRefusing } from './replaced-container.js';
import { HostLost, onHost } from './on-host.js';

const placement = proxyActivities<Pick<ControlActivities, 'placeRun'>>(placementOptions);

/**
 * Adds the hidden test's result. The sandbox is gone, so the agent cannot learn it. `lease`: of the
 * GPUs that the test needs; the caller returns it.
 */
export async function judgedByTest(
  ticket: RunTicket,
  at: { hostId: string; epoch: number },
  end: RunEnd,
  lease?: GpuLease,
): Promise<RunEnd> {
  // It ended without an evaluation, so no score counts.
  if (end.finalEvaluation === 'not_run') return end;
  const { runId, evaluationSeconds } = ticket;
  let { hostId, epoch } = at;
  for (;;) {
    try {
      const { more, final } = await onHost(
        { runId, hostId, epoch },
        evaluationOptions(hostId, evaluationSeconds),
        (host) => host.evaluateHidden({ runId }),
      );
      if (!more) return final === null ? end : { ...end, finalEvaluation: final };
    } catch (error) {
      if (!(error instanceof HostLost)) return endOfFailure(error);
      try {
        await lease?.abandon();
        ({ hostId, epoch } = await placeForTest(runId, epoch + 1, lease));
      } catch (unplaced) {
        return endOfFailure(unplaced);
      }
    }
  }
}

/** With a lease, where its GPUs are. */
export async function placeForTest(
  runId: string,
  epoch: number,
  lease?: GpuLease,
): Promise<{ hostId: string; epoch: number }> {
  if (lease === undefined) return placement.placeRun({ runId, epoch });
  for (;;) {
    const { hostId } = await lease.acquire({});
    try {
      return await placement.placeRun({ runId, epoch, hostId });
    } catch (error) {
      if (!isHostRefusing(error)) throw error;
      await lease.giveBackAndPause();
    }
  }
}

export function endOfFailure(error: unknown): RunEnd {
  // Abandoned work may fail on its way out.
  if (isCancellation(error) || CancellationScope.current().consideredCancelled)
    return { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null };
  const cause = rootCause(error);
  const endReason =
    cause instanceof ApplicationFailure && cause.type === FAILURE.config ? 'config_error' : 'infra_error';
  return {
    ...{ endReason, finalEvaluation: 'not_run', detail: cause.message.slice(0, 500) },
    cause: partThatFailed(error, cause),
  };
}

/** As the failure names it, else by the activity that failed. */
function partThatFailed(error: unknown, root: Error): EndCause {
  const [named] = root instanceof ApplicationFailure ? ((root.details ?? []) as Partial<FailedPart>[]) : [];
  if (isEndCause(named?.part)) return named.part;
  let at = error;
  while (at instanceof ChildWorkflowFailure) at = at.cause;
  return causeOfActivity(at instanceof ActivityFailure ? at.activityType : null);
}

function rootCause(error: unknown): Error {
  let cause = error instanceof Error ? error : new Error(String(error));
  while ((cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure) && cause.cause instanceof Error) {
    cause = cause.cause;
  }
  return cause;
}
