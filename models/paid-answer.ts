import { setTimeout as sleep } from 'node:timers/promises';
import { InfrastructureError } from '../domain/errors.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Stores an answer that is paid, as `settle` does. While the database is away this waits, until `signal`
 * aborts: an answer that is lost here is requested, and paid, again.
 */
export async function storePaidAnswer(settle: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await settle();
    } catch (error) {
      if (!(error instanceof InfrastructureError) || signal.aborted) throw error;
      // Aborted meanwhile: once more, at once.
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}
