/**
 * What the address shows is asked for while the page's scripts still load: early-asks.ts asks, `send` takes the answers. Both run as scripts
 * of one page but share no module, so the answers lie on `globalThis`.
 */
interface EarlyAnswer {
  at: number;
  response: Promise<Response>;
}
const store = globalThis as { benchEarly?: Map<string, EarlyAnswer> };
/** Older ones are no first view's any more. */
const FRESH_MS = 10_000;

export function askEarly(url: string, headers: Record<string, string>): void {
  store.benchEarly ??= new Map();
  const response = fetch(url, { headers });
  // The caller that takes the response handles its failure.
  response.catch(() => undefined);
  store.benchEarly.set(url, { at: performance.now(), response });
}

/** The answer that was asked for early, once. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const found = store.benchEarly?.get(url);
  store.benchEarly?.delete(url);
  return found !== undefined && performance.now() - found.at < FRESH_MS ? found.response : undefined;
}
