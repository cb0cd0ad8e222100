import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../domain/errors.js';

export interface LookAgain {
  every: number;
  once: boolean;
  log: (line: string) => void;
  pause?: (ms: number) => Promise<void>;
}

/**
 * Look every so many seconds, for good. What cannot be reached after a first look is away for a while: that is told, and looked at again.
 * Throws what the first look throws, and all that waiting does not help.
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
