import { BenchError } from '../domain/errors.js';
import type { ProgressEvents } from '../domain/ports/progress-events.js';

export type WaitForRoom = <T>(begin: () => Promise<T>) => Promise<T>;

const isFull = (error: unknown): boolean => error instanceof BenchError && error.code === 'episodes.at_capacity';

/** In order, in memory: after a server's death its clients retry. Refuses after `seconds`. */
export function waitingForRoom(progress: ProgressEvents, seconds: number): WaitForRoom {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const tryUntil = async <T>(until: number, begin: () => Promise<T>): Promise<T> => {
    for (;;) {
      // Subscribe first: an episode may end while this one is refused.
      const news = progress.next(null);
      try {
        return await begin();
      } catch (error) {
        if (!isFull(error) || Date.now() >= until) throw error;
        await news.within(until - Date.now());
      } finally {
        news.cancel();
      }
    }
  };

  return async (begin) => {
    const until = Date.now() + seconds * 1000;
    if (waiting === 0) {
      try {
        return await begin();
      } catch (error) {
        if (!isFull(error) || seconds === 0) throw error;
      }
    }
    waiting++;
    const turn = last;
    const work = before(turn, until).then(() => tryUntil(until, begin));
    // Giving up early does not end the turns before.
    last = Promise.all([turn, work.catch(() => undefined)]);
    return work.finally(() => waiting--);
  };
}

async function before(turn: Promise<unknown>, until: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.max(0, until - Date.now()))));
  await Promise.race([turn, late]);
  clearTimeout(timer);
}
