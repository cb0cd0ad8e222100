import type { Browser } from 'playwright-core';
import type { Database } from '../../db/index.js';

/** The measured page: its address, its token and the rows behind it. */
export interface MeasuredPage {
  browser: Browser;
  db: Database;
  address: string;
  token: string;
  pid: number;
  ask: (path: string, init?: RequestInit) => Promise<Response>;
  repeat: number;
}

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Streams read but not rendered, like other people's tabs; give them back to end them. */
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
