import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Database } from '../../db/index.js';
import { pageServerRequestSchema } from '../../domain/requests/page.js';
import type { Bench } from '../../operations/bench.js';
import { addToken } from '../../operations/home/page/tokens.js';
import { readSettings } from '../../operations/settings.js';
import { startPageServer } from '../../web/server/serve.js';

/** Only ends a hang. */
const TIMEOUT_MS = Number(process.env['UI_TIMEOUT'] ?? 120_000);

export interface PageServer {
  bench: Bench;
  address: string;
  token: string;
  home: string;
  viewerToken: string;
  json: (path: string) => Promise<unknown>;
  close: () => Promise<void>;
}

/** A test database in its own home; no other service runs. */
export function pageBench(db: Database, databaseUrl: string): { bench: Bench; home: string } {
  const home = mkdtempSync(join(tmpdir(), 'bench-page-'));
  const root = resolve(import.meta.dirname, '../..');
  const bench = {
    settings: readSettings({ BENCH_HOME: home, DATABASE_URL: databaseUrl }, home, root),
    ...db,
    database: () => Promise.resolve(db),
    services: () => Promise.resolve({ databaseUrl }),
    databaseUrl: () => Promise.resolve(databaseUrl),
    reconnect: () => Promise.resolve(),
    notify: () => undefined,
    looksOnly: () => undefined,
  } as unknown as Bench;
  return { bench, home };
}

export async function startPage(db: Database, databaseUrl: string): Promise<PageServer> {
  const { bench, home } = pageBench(db, databaseUrl);
  const { settings } = bench;
  const server = await startPageServer(bench, pageServerRequestSchema.parse({ port: 0 }));
  const tokenOf = (role: 'operator' | 'viewer') => addToken(settings, { name: role, role, days: 1 }).token;
  const token = tokenOf('operator');
  return {
    bench,
    address: server.address,
    token,
    home,
    viewerToken: tokenOf('viewer'),
    json: async (path) => {
      const response = await fetch(`${server.address}/api/v1${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
    close: async () => {
      await server.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export interface WatchedPage {
  page: Page;
  /** Console, errors, dialogs, policy violations, foreign requests: should be empty. */
  complaints: string[];
  open: (path: string) => Promise<void>;
  close: () => Promise<void>;
}

/** Polls from outside: the page's policy blocks scripts injected later. */
export async function until(page: Page, expression: string): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; !(await page.evaluate<boolean>(expression));) {
    if (Date.now() > end) throw new Error(`${page.url()}: never ${expression}`);
    await page.waitForTimeout(50);
  }
}

/** A tab with the token that records its complaints. */
export async function openPage(
  browser: Browser,
  server: PageServer,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(TIMEOUT_MS);
  const complaints: string[] = [];
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', (event) => console.error('violation of ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));
    if (location.protocol !== 'about:') localStorage.setItem('bench-token', ${JSON.stringify(server.token)});
  `);
  const page = await context.newPage();
  page.on('console', (message) => {
    // The page shows what the server refuses; the browser reports it too.
    if (message.type() === 'error' || message.type() === 'warning')
      if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(server.address) && !url.startsWith('data:,') && !url.startsWith('blob:'))
      complaints.push(`request to ${url}`);
    if (url.includes(server.token)) complaints.push(`the token is in ${url}`);
  });
  page.on('popup', () => complaints.push('a window was opened'));
  const pending = new Set<string>();
  page.on('request', (request) => pending.add(request.url()));
  page.on('requestfinished', (request) => pending.delete(request.url()));
  page.on('requestfailed', (request) => pending.delete(request.url()));
  return {
    page,
    complaints,
    async open(path) {
      await page.goto(`${server.address}${path}`);
      // Each page has its title at once, and placeholders until its data come.
      await page
        .locator('h1, .state')
        .first()
        .waitFor()
        .catch(async (cause: unknown) => {
          const text = await page.locator('body').innerText();
          throw new Error(`${path} shows ${JSON.stringify(text)} and waits for ${[...pending].join(', ')}`, { cause });
        });
      await until(page, `document.querySelector('.loading, .step-ghost') === null`);
    },
    close: () => context.close(),
  };
}
