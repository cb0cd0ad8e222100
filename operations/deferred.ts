type Deferrable<Port> = Record<keyof Port, (...args: never[]) => Promise<unknown> | AsyncGenerator<unknown>>;

/**
 * A port that opens at its first call: each call waits for `open`, which decides how often it really opens. `streams`: methods that
 * return a generator.
 */
export function deferred<Port extends Deferrable<Port>>(
  open: () => Promise<Port>,
  streams: readonly (keyof Port)[] = [],
): Port {
  const call = async (key: keyof Port, args: never[]): Promise<unknown> => (await open())[key](...args);
  async function* stream(key: keyof Port, args: never[]) {
    yield* (await open())[key](...args) as AsyncGenerator<unknown>;
  }
  return new Proxy({} as Port, {
    // A port is no promise, whatever awaits it.
    get: (_target, key) =>
      key === 'then'
        ? undefined
        : (...args: never[]) =>
            streams.includes(key as keyof Port) ? stream(key as keyof Port, args) : call(key as keyof Port, args),
  });
}
