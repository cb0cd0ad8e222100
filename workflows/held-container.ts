import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { FAILURE, type StartContainerArgs } from '../domain/messages.js';
import { containerOptions } from './activity-options.js';
import { onHost } from './on-host.js';

/** After this many lost containers the run ends as infra_error. */
export const MAX_EPOCHS = 10;
/** Hosts that leave as announced are no fault; but a run that never gets anywhere ends, too. */
const MOST_HANDED_ON = 1000;

/** The last epoch that a run may have which was handed on so often. */
export const lastEpoch = (handedOn = 0): number => MAX_EPOCHS + Math.min(handedOn, MOST_HANDED_ON);

/**
 * Start a container, in which the activity restores the steps so far. A container lost meanwhile is replaced like any other.
 * `began` is called with each epoch before its container starts. Returns the epoch that succeeded. `because`: why a new container is
 * needed; `last`: see lastEpoch. Throws HostLost.
 */
export async function startHeldContainer(
  { hostId, epoch: first, because, last }: { hostId: string; epoch: number; because?: string; last: number },
  args: (epoch: number) => StartContainerArgs,
  began: (epoch: number) => void,
): Promise<number> {
  for (let [epoch, reason] = [first, because]; ; epoch += 1) {
    began(epoch);
    try {
      const start = { ...args(epoch), ...(reason === undefined ? {} : { because: reason }) };
      await onHost({ runId: start.runId, hostId, epoch }, containerOptions(hostId), (host) =>
        host.startContainer(start),
      );
      return epoch;
    } catch (error) {
      if (!isSandboxLost(error) || epoch >= last) throw error;
      reason = whyLost(error);
    }
  }
}

export const isSandboxLost = (error: unknown): boolean => hasType(error, FAILURE.sandboxLost);

export const isHostRefusing = (error: unknown): boolean => hasType(error, FAILURE.hostRefuses);

/** The reason, cut, since it is kept in the history. */
export const whyLost = (error: unknown): string => applicationFailureOf(error)?.message.slice(0, 300) ?? 'unknown';

const hasType = (error: unknown, type: string): boolean => applicationFailureOf(error)?.type === type;

/** What an activity threw, out of its wrapping. */
function applicationFailureOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
