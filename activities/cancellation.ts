import { Context } from '@temporalio/activity';

/** Aborted when the running activity is cancelled or its worker shuts down. */
export const cancellation = (): AbortSignal => Context.current().cancellationSignal;

/** True when the worker is shutting down: leave the command running, the retry re-attaches to it. */
export function isWorkerShutdown(signal: AbortSignal): boolean {
  const reason: unknown = signal.reason;
  return signal.aborted && reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
}

/** The reason of a signal by which somebody only stops waiting for a command. */
export class WaitsNoLonger extends Error {
  override name = 'WaitsNoLonger';
}

/** True when the command is to go on without whoever waits for it: the next one re-attaches. */
export const leavesCommandRunning = (signal: AbortSignal): boolean =>
  isWorkerShutdown(signal) || (signal.aborted && signal.reason instanceof WaitsNoLonger);
