import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';
import { CONTROL_QUEUE, EXTERNAL_PROVIDER, evaluationQueue, hostQueue, modelQueue } from '../domain/queues.js';
import { EVALUATION_WALL_BOUND } from '../domain/limits.js';
import { FAILURE } from '../domain/messages.js';

// Missed heartbeats reveal a dead worker; activities send one every two seconds.
const HEARTBEAT = '10 seconds';

const NON_RETRYABLE = [FAILURE.sandboxLost, FAILURE.config, FAILURE.stale];

/** PostgreSQL may be down for a while: keep trying, at nobody's expense. */
export const controlOptions: ActivityOptions = {
  taskQueue: CONTROL_QUEUE,
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds' },
};

/** Retried until a host can take the run; retries add nothing to the history. */
export const placementOptions: ActivityOptions = {
  ...controlOptions,
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
};

/** Retried for about an hour of a dead engine; then the run ends as infra_error. */
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

/** Removing what a closed run left: a short time limit, so that a dead host does not hold up the pool. */
export const reclaimOptions = (hostId: string): ActivityOptions => ({
  ...containerOptions(hostId),
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '1 minute',
});

/** A submission may be large, and the machine busy. */
const COPYING_SECONDS = 600;

export const commandOptions = (hostId: string, seconds: number): ActivityOptions => ({
  taskQueue: hostQueue(hostId),
  startToCloseTimeout: (seconds + COPYING_SECONDS) * 1000,
  heartbeatTimeout: HEARTBEAT,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: boundedRetry,
});

/** Tests that run where the agent lives are over by then. */
export const takingOptions = commandOptions;

/** Waiting for a place does not count as the run's time. */
export const evaluationOptions = (hostId: string, seconds: number): ActivityOptions => ({
  // A busy machine is slow, and the evaluation may be repeated.
  ...commandOptions(hostId, 2 * EVALUATION_WALL_BOUND * seconds),
  taskQueue: evaluationQueue(hostId),
});

/** Short, since the agent waits for it. */
export const snapshotOptions = (hostId: string): ActivityOptions => ({
  ...containerOptions(hostId),
  // The next command notices a dead host.
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

/** Needs only PostgreSQL, which may be down for a while: that must not end a run that waits for days for an answer. */
const untilAsked = {
  retry: { ...controlOptions.retry, nonRetryableErrorTypes: NON_RETRYABLE },
} satisfies ActivityOptions;

/** A player outside is asked, or has answered. */
export const turnOptions: LocalActivityOptions = { startToCloseTimeout: '1 minute', ...untilAsked };

/**
 * A whole step, or its command: tried once. What goes wrong is left to the activities on the queues, which wait for what is down, and show
 * in the run's log that they did.
 */
export const besideOptions: LocalActivityOptions = {
  startToCloseTimeout: '1 minute',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { maximumAttempts: 1 },
};
