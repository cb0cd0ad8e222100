import { ActivityFailure, TimeoutFailure, proxyActivities } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import type { ControlActivities, HostActivities } from '../domain/messages.js';
import { controlOptions } from './activity-options.js';

const control = proxyActivities<ControlActivities>(controlOptions);

/** The host of a run will not answer any more: the run goes on elsewhere. */
export class HostLost extends Error {
  override name = 'HostLost';
}

/** Nobody took an activity for so long: has the host gone? Asked less and less often while the answer is no. */
const FIRST_DOUBT_S = 20;
const LAST_DOUBT_S = 300;

/**
 * An activity on the run's host. While nobody takes it and the host is not lost, as when all services were down, it is put
 * again: no clock of the run runs. Throws HostLost.
 */
export async function onHost<T>(
  at: { runId: string; hostId: string; epoch: number },
  options: ActivityOptions,
  work: (
    host: Pick<HostActivities, 'startContainer' | 'executeCommand' | 'takeSubmission' | 'evaluate' | 'evaluateHidden'>,
  ) => Promise<T>,
): Promise<T> {
  for (let doubt = FIRST_DOUBT_S; ; doubt = Math.min(doubt * 2, LAST_DOUBT_S)) {
    try {
      return await work(proxyActivities<HostActivities>({ ...options, scheduleToStartTimeout: doubt * 1000 }));
    } catch (error) {
      if (!isUntaken(error)) throw error;
      if ((await control.judgeHost(at)) === 'lost') throw new HostLost(`host ${at.hostId} is lost`);
    }
  }
}

const isUntaken = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === 'SCHEDULE_TO_START';
