/** Early requests' answers, for `send`. Two scripts share them, so they lie on `globalThis`. */
interface EarlyAnswer {
  at: number;
  response: Promise<Response>;
}
const store = globalThis as { benchEarly?: Map<string, EarlyAnswer> };
/** Older ones do not belong to the first view. */
const FRESH_MS = 10_000;

export function askEarly(url: string, headers: Record<string, string>): void {
  store.benchEarly ??= new Map();
  const response = fetch(url, { headers });
  // The caller that takes the response handles its failure.
  response.catch(() => undefined);
  store.benchEarly.set(url, { at: performance.now(), response });
}

/** Returns each answer once. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const found = store.benchEarly?.get(url);
  store.benchEarly?.delete(url);
  return found !== undefined && performance.now() - found.at < FRESH_MS ? found.response : undefined;
}
