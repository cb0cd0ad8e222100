import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';

const BEAT_MS = 2_000;

/**
 * Heartbeats from a timer while an activity runs, so that a dead worker is noticed and cancellation arrives. The start counts as
 * the first beat: most activities end before the second and cost the server nothing. Beside a workflow there is nobody to beat for.
 */
export const heartbeat = (context: Context): ActivityInterceptors => ({
  inbound: {
    async execute(input, next) {
      if (context.info.isLocal) return await next(input);
      const timer = setInterval(() => context.heartbeat(), BEAT_MS);
      try {
        return await next(input);
      } finally {
        clearInterval(timer);
      }
    },
  },
});
