export interface Once<T> {
  (): Promise<T>;
  /** The value, or its promise; null: not made. */
  known(): Promise<T> | null;
  /** The next call makes a new one. */
  forget(): void;
}

/** Shared by all calls. A failure is not kept: the next call retries. */
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
