import { setTimeout as sleep } from 'node:timers/promises';
import { InfrastructureError } from '../domain/errors.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Retries until `signal` aborts, since a lost answer would be requested and paid again. */
export async function storePaidAnswer(settle: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await settle();
    } catch (error) {
      if (!(error instanceof InfrastructureError) || signal.aborted) throw error;
      // If aborted, one last time, at once.
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}
