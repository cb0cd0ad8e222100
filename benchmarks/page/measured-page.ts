import type { Browser } from 'playwright-core';
import type { Database } from '../../db/index.js';

/** The page that is measured: where it is, who may ask it, and the rows behind it. */
export interface MeasuredPage {
  browser: Browser;
  db: Database;
  address: string;
  token: string;
  /** Process of its server. */
  pid: number;
  ask: (path: string, init?: RequestInit) => Promise<Response>;
  repeat: number;
}

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Streams that are read and not looked at, as those of other people's tabs; give them back to end them. */
export function viewers({ ask }: Pick<MeasuredPage, 'ask'>, count: number, query: string): () => Promise<void> {
  const closing = new AbortController();
  const reading = Array.from({ length: count }, () =>
    ask(`/live?${query}`, { signal: closing.signal })
      .then(async ({ body }) => {
        for await (const _ of body!) void _;
      })
      .catch(() => undefined),
  );
  return async () => {
    closing.abort();
    await Promise.all(reading);
  };
}
