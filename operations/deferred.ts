type Deferrable<Port> = Record<keyof Port, (...args: never[]) => Promise<unknown> | AsyncGenerator<unknown>>;

/** The methods of a port that return a generator. */
type Streams<Port extends Deferrable<Port>> = {
  [Name in keyof Port]: ReturnType<Port[Name]> extends AsyncGenerator ? Name : never;
}[keyof Port];

/**
 * A port that opens at its first call: each call waits for `open`, which decides how often it really opens. `streams` lists the methods
 * that return a generator: a proxy cannot see them, and a promise of a generator is none.
 */
export function deferred<Port extends Deferrable<Port>>(
  open: () => Promise<Port>,
  streams: Readonly<Record<Streams<Port>, true>>,
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
            Object.hasOwn(streams, key) ? stream(key as keyof Port, args) : call(key as keyof Port, args),
  });
}
