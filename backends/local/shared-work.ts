/**
 * `work` for many callers at once: each gets the outcome of a round that began after its call; all who call while a round is
 * under way share the next one.
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
