import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../operations/as-bench-error.js';

const PAUSE_MS = 250;

/**
 * Does work that may be repeated, until the services answer: a trainer whose request meets a restart of the database waits for it
 * instead of losing an episode. After so many seconds of an outage its last error is thrown; work that went on for as long before it
 * failed had its services until then.
 */
export async function rideOut<T>(work: () => Promise<T>, seconds = 60): Promise<T> {
  let since: number | null = null;
  for (;;) {
    const began = Date.now();
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error)) throw error;
      const now = Date.now();
      if (since === null || now - began > seconds * 1000) since = now;
      if (now - since > seconds * 1000) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
