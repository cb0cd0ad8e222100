import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { FAILURE, type StartContainerArgs } from '../domain/model/messages.js';
import { containerOptions } from './activity-options.js';
import { onHost } from './on-host.js';
import { MAX_EPOCHS, type RunState } from './run-state.js';

/**
 * The activity restores the steps so far. Replaces a container lost meanwhile. `began` gets each
 * epoch before its start; `because`: why a new container is needed; `last`: see RunState. Returns
 * the epoch that succeeded. Throws HostLost.
 */
export async function startReplacingLost(
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

export async function replaceContainer(run: RunState, because: string): Promise<void> {
  const { runId, maxSteps, program } = run.ticket;
  const { epoch } = run.progress;
  if (epoch >= run.lastEpoch) throw ApplicationFailure.nonRetryable(`${MAX_EPOCHS} containers were lost: ${because}`);
  const { hostId, devices, ...lease } = run.place!;
  await startReplacingLost(
    { hostId, epoch: epoch + 1, because, last: run.lastEpoch },
    (at) => ({ runId, epoch: at, devices, ...lease, replayThrough: program === true ? 0 : maxSteps }),
    (at) => (run.progress = { ...run.progress, epoch: at }),
  );
}

/** Retries `work` in a new container if the current one is lost. */
export async function inContainer<T>(run: RunState, work: (epoch: number) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work(run.progress.epoch);
    } catch (error) {
      if (!isSandboxLost(error)) throw error;
      await replaceContainer(run, whyLost(error));
    }
  }
}

export const isSandboxLost = (error: unknown): boolean => hasType(error, FAILURE.sandboxLost);

export const isHostRefusing = (error: unknown): boolean => hasType(error, FAILURE.hostRefuses);

/** Cut, since the history keeps it. */
export const whyLost = (error: unknown): string => applicationFailureOf(error)?.message.slice(0, 300) ?? 'unknown';

const hasType = (error: unknown, type: string): boolean => applicationFailureOf(error)?.type === type;

function applicationFailureOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
