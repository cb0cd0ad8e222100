import { Context } from '@temporalio/activity';

/** Aborted when the running activity is cancelled, given to another attempt, or its worker shuts down. */
export const cancellation = (): AbortSignal => Context.current().cancellationSignal;

/** Why Temporal aborted it; null: it did not. */
const reasonOf = ({ aborted, reason }: AbortSignal): string | null =>
  aborted && reason instanceof Error ? reason.message : null;

/** True when the worker is shutting down: the retry resumes what was begun. */
export const isWorkerShutdown = (signal: AbortSignal): boolean => reasonOf(signal) === 'WORKER_SHUTDOWN';

/**
 * True when the run is to end, so that no retry resumes what was begun. After any other abort one does: a server that was away
 * for longer than heartbeats may be has given the activity to its next attempt.
 */
export const endsForGood = (signal: AbortSignal): boolean => reasonOf(signal) === 'CANCELLED';
