import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Database } from '../../db/index.js';
import { homeLayout } from '../../domain/home/layout.js';
import type { Bench } from '../../operations/bench.js';
import { API, ROUTES } from '../../web/api/routes.js';
import { createApp, type AppOptions } from '../../web/server/app.js';
import { allHandlers } from '../../web/server/handlers/index.js';
import { watchOutage } from '../../web/server/outage.js';

const HOST = 'localhost:1';

export interface PageApp {
  ask: (path: string, init?: { method?: string; body?: unknown; signal?: AbortSignal }) => Promise<Response>;
  /** The answer, checked against the route's schema. */
  get: <T>(name: keyof typeof ROUTES, path: string) => Promise<T>;
  bench: Bench;
  close: () => void;
}

export function pageApp(db: Database, databaseUrl: string, options: Partial<AppOptions> = {}): PageApp {
  const home = mkdtempSync(join(tmpdir(), 'bench-page-'));
  const bench = {
    settings: { layout: homeLayout(home), env: {}, configFolders: [join(import.meta.dirname, '../../configs')] },
    ...db,
    database: () => Promise.resolve(db),
    services: () => Promise.resolve({ databaseUrl }),
    databaseUrl: () => Promise.resolve(databaseUrl),
    reconnect: () => Promise.resolve(),
    notify: () => undefined,
  } as unknown as Bench;
  const built = allHandlers(bench, watchOutage(bench), '1.2.3');
  const token = { name: 't', role: 'operator' as const, createdAt: new Date().toISOString(), expiresAt: null };
  const app = createApp({
    ...{ handlers: built.handlers, tokens: { find: () => token }, hosts: [HOST], origins: [] },
    ...{ readOnly: false, compressed: false, version: '1.2.3', page: home },
    ...options,
    limits: { requestsPerSecond: 10_000, ...options.limits },
  });
  const ask: PageApp['ask'] = (path, { method = 'GET', body, signal } = {}) =>
    Promise.resolve(
      app.request(
        new Request(`http://${HOST}${API}${path}`, {
          method,
          headers: { host: HOST, authorization: 'Bearer t', 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          ...(signal !== undefined && { signal }),
        }),
      ),
    );
  return {
    ask,
    async get<T>(name: keyof typeof ROUTES, path: string): Promise<T> {
      const response = await ask(path);
      const document: unknown = await response.json();
      expect([path, response.status, response.status === 200 ? '' : document]).toEqual([path, 200, '']);
      const { answer } = ROUTES[name];
      if (typeof answer !== 'string') expect(answer.safeParse(document).error?.issues ?? []).toEqual([]);
      return document as T;
    },
    bench,
    close: () => {
      built.hub.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
