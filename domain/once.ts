export interface Once<T> {
  (): Promise<T>;
  /** What was made, or is being made; null: nothing. */
  known(): Promise<T> | null;
  /** The next call makes another. */
  forget(): void;
}

/** Makes it at the first call, for all calls. A failure is not kept: the next call tries again. */
export function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | null = null;
  const get = (): Promise<T> => {
    const current = made ?? make();
    current.catch(() => {
      if (made === current) made = null;
    });
    return (made = current);
  };
  return Object.assign(get, { known: () => made, forget: () => void (made = null) });
}
