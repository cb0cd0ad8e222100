import { Context } from '@temporalio/activity';

/** Aborted when the running activity is cancelled or its worker shuts down. */
export const cancellation = (): AbortSignal => Context.current().cancellationSignal;

/** True when the worker is shutting down: leave the command running, the retry re-attaches to it. */
export function isWorkerShutdown(signal: AbortSignal): boolean {
  const reason: unknown = signal.reason;
  return signal.aborted && reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
}
