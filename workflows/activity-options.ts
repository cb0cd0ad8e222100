import type { ActivityOptions } from '@temporalio/workflow';
import { CONTROL_QUEUE, EXTERNAL_PROVIDER, evaluationQueue, hostQueue, modelQueue } from '../domain/queues.js';
import { EVALUATION_WALL_BOUND } from '../domain/limits.js';
import { FAILURE } from '../domain/messages.js';

// A dead worker is noticed by its missed heartbeats; activities beat every two seconds for their whole life.
const HEARTBEAT = '10 seconds';

const NON_RETRYABLE = [FAILURE.sandboxLost, FAILURE.config, FAILURE.stale];

/** Postgres may be down for a while: keep trying, nobody is charged for the time. */
export const controlOptions: ActivityOptions = {
  taskQueue: CONTROL_QUEUE,
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds' },
};

/** Tried until a host can take the run: retries leave nothing in the history, however long that takes. */
export const placementOptions: ActivityOptions = {
  ...controlOptions,
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
};

/** A bounded number of tries (about an hour of a dead engine), then the run ends as infra_error. */
const boundedRetry = {
  initialInterval: '500 milliseconds',
  maximumInterval: '1 minute',
  maximumAttempts: 60,
  nonRetryableErrorTypes: NON_RETRYABLE,
};

export const containerOptions = (hostId: string): ActivityOptions => ({
  taskQueue: hostQueue(hostId),
  // The first start on a machine builds the images.
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: HEARTBEAT,
  retry: boundedRetry,
});

/** Removing what a closed run left: soon or not at all, so that a dead host does not hold up the pool. */
export const reclaimOptions = (hostId: string): ActivityOptions => ({
  ...containerOptions(hostId),
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '1 minute',
});

/** Files of a submission may be large, and the machine busy. */
const COPYING_SECONDS = 600;

export const commandOptions = (hostId: string, seconds: number): ActivityOptions => ({
  taskQueue: hostQueue(hostId),
  startToCloseTimeout: (seconds + COPYING_SECONDS) * 1000,
  heartbeatTimeout: HEARTBEAT,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: boundedRetry,
});

export const takingOptions = (hostId: string): ActivityOptions => commandOptions(hostId, 0);

/** Waiting for a place is on no clock of the run. */
export const evaluationOptions = (hostId: string, seconds: number): ActivityOptions => ({
  // A busy machine takes its time, and may be given a second chance.
  ...commandOptions(hostId, 2 * EVALUATION_WALL_BOUND * seconds),
  taskQueue: evaluationQueue(hostId),
});

/** Soon or not at all: the agent waits for it. */
export const snapshotOptions = (hostId: string): ActivityOptions => ({
  ...containerOptions(hostId),
  // A host that is gone is found out by the next command.
  scheduleToStartTimeout: '30 seconds',
  startToCloseTimeout: '20 minutes',
  scheduleToCloseTimeout: '30 minutes',
});

export const modelOptions = (provider: string): ActivityOptions => ({
  taskQueue: modelQueue(provider),
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: boundedRetry,
  ...(provider === EXTERNAL_PROVIDER ? untilAsked : {}),
});

/** It needs Postgres alone, which may be down for a while: whoever waits for days for an answer is not ended by that. */
const untilAsked = {
  retry: { ...controlOptions.retry, nonRetryableErrorTypes: NON_RETRYABLE },
} satisfies ActivityOptions;
