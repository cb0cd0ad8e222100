import type { Logger } from './logger.js';
import type { Polling } from './polling.js';

export interface PostgresWatchParts {
  /** Rejects when PostgreSQL does not answer; bounded in time. */
  ask: () => Promise<void>;
  polling: Pick<Polling, 'suspended' | 'suspend' | 'resume'>;
  /** For so long, milliseconds, PostgreSQL may be away without any consequence here. */
  boundMs: number;
  /** Called at each look while PostgreSQL does not answer. */
  unanswered: () => Promise<void>;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds. */
  now?: () => number;
}

/**
 * One look at PostgreSQL. A worker that does not reach it takes what it can only fail: activities go round on its queues, local ones
 * even keep their workflows there, and no run moves to a host that could continue it. So from the time when this host counts as lost
 * it polls nothing, until PostgreSQL answers. Where it is away for everybody nothing else changes: what was polled waits in Temporal.
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
