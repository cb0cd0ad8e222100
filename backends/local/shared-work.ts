/** Each caller gets a round that began after its call; calls during a round share the next. */
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
