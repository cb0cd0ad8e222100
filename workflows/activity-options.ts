import type { ActivityOptions } from '@temporalio/workflow';
import { CONTROL_QUEUE, evaluationQueue, hostQueue, modelQueue } from '../domain/run/queues.js';
import { EVALUATION_WALL_BOUND } from '../domain/run/limits.js';
import { FAILURE } from '../domain/model/messages.js';

// Missed heartbeats reveal a dead worker; activities send one every second.
const HEARTBEAT = '10 seconds';

const NON_RETRYABLE = [FAILURE.sandboxLost, FAILURE.config, FAILURE.stale];

/** PostgreSQL may be down for a while: retrying costs nothing. */
export const controlOptions: ActivityOptions = {
  taskQueue: CONTROL_QUEUE,
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds' },
};

/** Retried until a host can take the run; retries add nothing to the history. */
export const placementOptions: ActivityOptions = {
  ...controlOptions,
  // It may start the container, too.
  startToCloseTimeout: '1 hour',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
};

/**
 * For lost workers, so that runs continue soon. An attempt's own failures wait longer each time,
 * for about an hour (activities/interceptors/failures.ts); then the run ends as infra_error.
 */
const boundedRetry = {
  initialInterval: '500 milliseconds',
  maximumInterval: '2 seconds',
  maximumAttempts: 1000,
  nonRetryableErrorTypes: NON_RETRYABLE,
};

export const containerOptions = (hostId: string): ActivityOptions => ({
  taskQueue: hostQueue(hostId),
  // The first start on a machine builds the images.
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: HEARTBEAT,
  retry: boundedRetry,
});

/** After a run closed: a short limit, so that a dead host does not delay the pool. */
export const reclaimOptions = (hostId: string): ActivityOptions => ({
  ...containerOptions(hostId),
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '1 minute',
});

const COPYING_SECONDS = 600;

export const commandOptions = (hostId: string, seconds: number): ActivityOptions => ({
  taskQueue: hostQueue(hostId),
  startToCloseTimeout: (seconds + COPYING_SECONDS) * 1000,
  heartbeatTimeout: HEARTBEAT,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: boundedRetry,
});

/** Tests in the agent's sandbox are over by then. */
export const takingOptions = (hostId: string, seconds: number): ActivityOptions => commandOptions(hostId, seconds);

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

/**
 * Outages of PostgreSQL end no run; faults of engines and providers go to activities of their own.
 * The pause is short, so that runs continue soon after a worker's loss.
 */
export const sliceOptions = (hostId: string): ActivityOptions => ({
  taskQueue: hostQueue(hostId),
  // A slice ends by itself; a snapshot that it waits for may take long.
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: HEARTBEAT,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '2 seconds', nonRetryableErrorTypes: NON_RETRYABLE },
});

const turnOn = (taskQueue: string): ActivityOptions => ({
  taskQueue,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: boundedRetry,
});

export const modelOptions = (provider: string): ActivityOptions => turnOn(modelQueue(provider));

/** A turn that continues where a slice began it. */
export const turnOptions = (hostId: string): ActivityOptions => turnOn(hostQueue(hostId));
