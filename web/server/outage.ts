import { isOutage } from '../../operations/as-bench-error.js';
import type { Handler } from './call.js';

/** Since when services do not answer. Each request tries them again, on new connections. */
export interface Outage {
  lostSince(): string | null;
  subscribe(listener: (lostSince: string | null) => void): () => void;
  watched(handler: Handler): Handler;
  report(error: unknown): void;
  over(): void;
}

export function watchOutage(bench: { reconnect(): Promise<void> }): Outage {
  let since: string | null = null;
  const listeners = new Set<(lostSince: string | null) => void>();
  const become = (next: string | null): void => {
    if ((since === null) === (next === null)) return;
    since = next;
    for (const listener of listeners) listener(since);
  };
  const outage: Outage = {
    lostSince: () => since,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    report(error) {
      if (!isOutage(error)) return;
      become(new Date().toISOString());
      void bench.reconnect();
    },
    over: () => become(null),
    watched: (handler) => async (call) => {
      try {
        const answer = await handler(call);
        outage.over();
        return answer;
      } catch (error) {
        outage.report(error);
        throw error;
      }
    },
  };
  return outage;
}
