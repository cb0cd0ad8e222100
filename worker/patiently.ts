import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../domain/errors.js';
import type { Logger } from './logger.js';

const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2_000;

/** Does a step of the worker's start, again and again if it must be. */
export type Patiently = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Steps of the start that wait, `forMs` in all, for a server that went away meanwhile: the home's supervisor brings it back, and a worker
 * that ended over it would only have to be started again. What is a refusal stays so.
 */
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
