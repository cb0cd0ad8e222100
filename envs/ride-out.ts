import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../operations/as-bench-error.js';

const PAUSE_MS = 250;

/**
 * Repeats idempotent work while services restart, so that a trainer loses no episode. Throws the
 * last error after `seconds` of an outage; work that ran that long before failing had its services.
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
