import { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';

const BEAT_MS = 2_000;

/**
 * Beat from a timer for the whole life of `work`, so that a dead worker is noticed and cancellation arrives. Its start counts as the
 * first beat: most activities end before the second, and cost the server no request and no write.
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/** The same for short activities that look at no signal: those that end before the first beat cost no request. */
export const beating = (context: Context): ActivityInterceptors => ({
  inbound: {
    async execute(input, next) {
      const timer = setInterval(() => context.heartbeat(), BEAT_MS);
      try {
        return await next(input);
      } finally {
        clearInterval(timer);
      }
    },
  },
});

/** True when the activity was cut off because its worker stops: the command must live on, the retry re-attaches. */
export function isWorkerShutdown(signal: AbortSignal): boolean {
  const reason: unknown = signal.reason;
  return signal.aborted && reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
}
