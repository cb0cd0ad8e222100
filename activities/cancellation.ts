import { Context } from '@temporalio/activity';

/** Aborted when the running activity is cancelled, or cut off because its worker stops. */
export const cancellation = (): AbortSignal => Context.current().cancellationSignal;

/** True when the activity was cut off because its worker stops: the command must live on, the retry re-attaches. */
export function isWorkerShutdown(signal: AbortSignal): boolean {
  const reason: unknown = signal.reason;
  return signal.aborted && reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
}
