type Deferrable<Port> = Record<keyof Port, (...args: never[]) => Promise<unknown> | AsyncGenerator<unknown>>;

type Streams<Port extends Deferrable<Port>> = {
  [Name in keyof Port]: ReturnType<Port[Name]> extends AsyncGenerator ? Name : never;
}[keyof Port];

/**
 * A port whose calls each wait for `open`, which decides how often it really opens. `streams` lists
 * methods that return a generator: a proxy cannot detect those.
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
    // `await` on a port must not see a promise.
    get: (_target, key) =>
      key === 'then'
        ? undefined
        : (...args: never[]) =>
            Object.hasOwn(streams, key) ? stream(key as keyof Port, args) : call(key as keyof Port, args),
  });
}
