import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../domain/errors.js';

export interface LookAgain {
  every: number;
  once: boolean;
  log: (line: string) => void;
  pause?: (ms: number) => Promise<void>;
}

/**
 * Calls `look` every so many seconds, indefinitely. An outage after the first look is logged, and the next
 * look follows as usual.
 * Throws what the first look throws, and every error but outages.
 */
export async function lookAgain(
  look: () => Promise<void>,
  { every, once, log, pause = sleep }: LookAgain,
): Promise<void> {
  for (let looked = false; ; looked = true) {
    try {
      await look();
    } catch (error) {
      if (!looked || !(error instanceof BenchError && error.type === 'services')) throw error;
      log(`${error.message}; checking again in ${every} s`);
    }
    if (once) return;
    await pause(every * 1000);
  }
}
