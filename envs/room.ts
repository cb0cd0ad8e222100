import { BenchError } from '../domain/errors.js';
import type { ProgressEvents } from '../domain/ports/progress-events.js';

/** Begins an episode as soon as there is room for it. */
export type WaitForRoom = <T>(begin: () => Promise<T>) => Promise<T>;

const isFull = (error: unknown): boolean => error instanceof BenchError && error.code === 'episodes.at_capacity';

/**
 * A queue before a full server: each end of an episode lets the next one in, in the order in which they came. Whoever has waited
 * `seconds` is refused. Nothing of this is stored: after the server's death its clients ask again.
 */
export function waitingForRoom(progress: ProgressEvents, seconds: number): WaitForRoom {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const tryUntil = async <T>(until: number, begin: () => Promise<T>): Promise<T> => {
    for (;;) {
      // Asked for first: an episode may end while this one is refused.
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
    // One that gives up before its turn does not end the turns before it.
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
