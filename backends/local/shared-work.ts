/**
 * Shares `work` among callers: each gets the result of a round that began after its call, and all who call during a round share
 * the next one.
 */
export function sharedWork<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= current.then(() => {
      const round = work();
      next = undefined;
      current = round.catch(() => undefined);
      return round;
    });
    return next;
  };
}
