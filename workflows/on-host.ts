import { ActivityFailure, ApplicationFailure, TimeoutFailure, proxyActivities } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import { FAILURE, type ControlActivities, type HostActivities } from '../domain/model/messages.js';
import { controlOptions } from './activity-options.js';

const control = proxyActivities<ControlActivities>(controlOptions);

export class HostLost extends Error {
  override name = 'HostLost';
  constructor(
    readonly hostId: string,
    /** It left as it had said, which counts as no loss. */
    readonly announced: boolean,
  ) {
    super(`host ${hostId} is lost`);
  }
}

/** Wait for a worker before asking whether the host is lost. Doubles while it is not. */
const FIRST_DOUBT_S = 20;
const LAST_DOUBT_S = 300;

/** Rescheduled, outside the run's time, until a worker takes it. Throws HostLost. */
export async function onHost<T>(
  at: { runId: string; hostId: string; epoch: number },
  options: ActivityOptions,
  work: (
    host: Pick<
      HostActivities,
      | 'startContainer'
      | 'playSteps'
      | 'nextAction'
      | 'executeCommand'
      | 'runProgram'
      | 'takeSubmission'
      | 'evaluate'
      | 'evaluateHidden'
    >,
  ) => Promise<T>,
): Promise<T> {
  for (let doubt = FIRST_DOUBT_S; ; doubt = Math.min(doubt * 2, LAST_DOUBT_S)) {
    try {
      return await work(proxyActivities<HostActivities>({ ...options, scheduleToStartTimeout: doubt * 1000 }));
    } catch (error) {
      if (isLeft(error)) throw new HostLost(at.hostId, true);
      if (!isUntaken(error)) throw error;
      const judged = await control.judgeHost(at);
      if (judged !== 'keep') throw new HostLost(at.hostId, judged === 'left');
    }
  }
}

/** Its worker refuses what it would not finish. */
const isLeft = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === FAILURE.hostLeft;

const isUntaken = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === 'SCHEDULE_TO_START';
