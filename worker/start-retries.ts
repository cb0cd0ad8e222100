import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../domain/errors.js';
import type { Logger } from './logger.js';

const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2_000;

export type Patiently = <T>(work: () => Promise<T>) => Promise<T>;

/** Retries for up to `forMs` while a supervised server is down, but not after refusals. */
export function patientFor(forMs: number, log: Pick<Logger, 'warn'>): Patiently {
  const until = performance.now() + forMs;
  return async (work) => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if ((error instanceof BenchError && error.type !== 'services') || performance.now() + pauseMs > until)
          throw error;
        log.warn({ error: error instanceof Error ? error.message : String(error) }, 'cannot start yet');
        await sleep(pauseMs);
      }
    }
  };
}
