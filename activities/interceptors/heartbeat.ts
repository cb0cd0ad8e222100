import { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';

/** A cancel request comes with the answer to a heartbeat. */
const BEAT_MS = 1_000;

const progress = new WeakMap<Context, unknown>();

/** Ids and small numbers, which the next heartbeats carry. */
export const reportProgress = (details: unknown): void => void progress.set(Context.current(), details);

/** The start counts as the first beat, so the many short activities send none. */
export const heartbeat = (context: Context): ActivityInterceptors => ({
  inbound: {
    async execute(input, next) {
      const timer = setInterval(() => context.heartbeat(progress.get(context)), BEAT_MS);
      try {
        return await next(input);
      } finally {
        clearInterval(timer);
      }
    },
  },
});
