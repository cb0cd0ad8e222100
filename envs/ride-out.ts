import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../operations/as-bench-error.js';

const PAUSE_MS = 250;

/**
 * Does work that may be repeated, until the services answer: a trainer whose request meets a restart of the database waits for it
 * instead of losing an episode. After so many seconds the last error is thrown.
 */
export async function rideOut<T>(work: () => Promise<T>, seconds = 60): Promise<T> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || Date.now() > until) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
