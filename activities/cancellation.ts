import { Context } from '@temporalio/activity';

/** Aborts when the activity is cancelled or retried elsewhere, or its worker shuts down. */
export const cancellation = (): AbortSignal => Context.current().cancellationSignal;

const reasonOf = ({ aborted, reason }: AbortSignal): string | null =>
  aborted && reason instanceof Error ? reason.message : null;

/** Then the retry resumes what was begun. */
export const isWorkerShutdown = (signal: AbortSignal): boolean => reasonOf(signal) === 'WORKER_SHUTDOWN';

/**
 * The run ends, so no retry resumes what was begun. After other aborts one does: an outage beyond
 * the heartbeat timeout gives the activity to its next attempt.
 */
export const endsForGood = (signal: AbortSignal): boolean => reasonOf(signal) === 'CANCELLED';
