import type { ActivityOptions } from '@temporalio/workflow';
import { CONTROL_QUEUE, evaluationQueue, hostQueue, modelQueue } from '../domain/run/queues.js';
import { EVALUATION_WALL_BOUND } from '../domain/run/limits.js';
import { FAILURE } from '../domain/model/messages.js';

// Missed heartbeats reveal a dead worker; activities send one every second.
const HEARTBEAT = '10 seconds';

const NON_RETRYABLE = [FAILURE.sandboxLost, FAILURE.config, FAILURE.stale];

/** PostgreSQL may be down for a while: keep trying, which costs nothing. */
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
 * For lost workers, whose runs continue soon. What an attempt fails with itself waits longer each time, for about an hour of a dead
 * engine (activities/interceptors/failures.ts); then the run ends as infra_error.
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
 * Needs PostgreSQL, which may be away for a while: that ends no run. Faults of engines and providers are
 * left to activities of their own. The pause stays short, so that a run continues soon after its worker does.
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
