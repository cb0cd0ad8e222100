import type { Logger } from './logger.js';
import type { Polling } from './polling.js';

export interface PostgresWatchParts {
  /** Rejects when PostgreSQL does not answer; bounded in time. */
  ask: () => Promise<void>;
  polling: Pick<Polling, 'suspended' | 'suspend' | 'resume'>;
  /** In milliseconds: shorter outages have no consequence. */
  boundMs: number;
  unanswered: () => Promise<void>;
  log: Pick<Logger, 'info' | 'warn'>;
  now?: () => number;
}

/**
 * A worker without PostgreSQL fails what it polls: activities circle on its queues, and runs do not
 * move. Once this host counts as lost, it stops polling until PostgreSQL answers. If PostgreSQL is
 * down for all, work simply waits in Temporal.
 */
export function postgresWatch(parts: PostgresWatchParts): () => Promise<void> {
  const { ask, polling, boundMs, unanswered, log, now = () => performance.now() } = parts;
  let since: number | null = null;
  return async () => {
    const begun = now();
    try {
      await ask();
    } catch (error) {
      since ??= begun;
      if (now() - since >= boundMs && !polling.suspended) {
        log.warn({ error: String(error) }, 'PostgreSQL does not answer: no queue is polled until it does');
        polling.suspend();
      }
      await unanswered();
      return;
    }
    since = null;
    if (!polling.suspended) return;
    log.info({}, 'PostgreSQL answers again: the queues are polled');
    polling.resume();
  };
}
