import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createRelay } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { type Database, openDatabase } from '../../db/index.js';
import { GATEWAY_PORT } from '../../domain/agent/program.js';
import { serveGateway } from '../../gateway/serve.js';
import { GatewaySession, type SessionParts } from '../../gateway/session.js';
import { findChromium, startChromium } from '../setup/chromium.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { startPage, type PageServer } from '../setup/page-server.js';
import { openTestFront, type TestFront } from '../unit/envs/front/open-test-front.js';
import { storeSweep } from './rows.js';

/** What a page got of a server, by the way in which it tried. */
type Loot = Record<string, string>;

const ATTACK = readFileSync(join(import.meta.dirname, '../fakes/hostile-page.js'), 'utf8');
const TOKEN = 'bench-the-right-token';
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
const listening = async <S extends { listen(port: number, host: string, done: () => void): unknown }>(
  server: S,
): Promise<S> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const executable = await findChromium();
describe.runIf(executable !== null)('a hostile page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-cross-site-'));
  let browser: Browser;
  let db: Database;
  let served: PageServer;
  let front: TestFront;
  let page: Server;
  let open: Server;
  /** What reached a server that checks nothing. */
  const taken = new Set<string>();
  /** What the gateway did for somebody. */
  const calls: string[] = [];
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    const url = await sharedDatabases().createDatabase();
    db = openDatabase(url);
    await storeSweep(db);
    served = await startPage(db, url);
    front = await openTestFront();
    page = await listening(
      createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<body>')),
    );
    open = await listening(
      createServer((request, response) => {
        taken.add(request.method ?? '');
        response.end('{}');
      }),
    );
    const sockets = new WebSocketServer({ server: open });
    sockets.on('connection', () => taken.add('WebSocket'));
    // As the relay in a container does it: a port in front of the run's socket.
    const touched = new Proxy({}, { get: (_target, name) => () => (calls.push(String(name)), Promise.resolve(null)) });
    const session = new GatewaySession({
      ...{
        run: { runId: 'r-1', model: { name: 'm', model: 'm' } },
        program: { client: 'anthropic', callsInFlight: 1 },
      },
      ...{ epoch: 1, token: TOKEN, store: touched, calls: touched },
    } as unknown as SessionParts);
    const gateway = await serveGateway(session, folder);
    const relay = await listening(
      createRelay((client) => {
        const there = connect(join(folder, 'sock'));
        for (const end of [client, there]) end.on('error', () => undefined);
        client.pipe(there).pipe(client);
      }),
    );
    browser = await startChromium(executable!, [
      `--host-resolver-rules=${[
        ...['localhost', 'rebound.example'].map((name) => `MAP ${name}:${GATEWAY_PORT} 127.0.0.1:${portOf(relay)}`),
        'MAP *.example 127.0.0.1',
      ].join(',')}`,
    ]);
    ends.push(...[() => sockets.close(), () => page.close(), () => open.close(), () => relay.close(), gateway.close]);
  });
  afterAll(async () => {
    await browser?.close();
    await front.remove();
    await served.close();
    for (const end of ends) end();
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const attacked = async (from: string, url: string, paths: string[], token: string): Promise<Loot> => {
    const tab = await browser.newPage();
    await tab.goto(from);
    await tab.evaluate(ATTACK);
    const loot = await tab.evaluate<Loot>(`attack(${JSON.stringify({ url, paths, token })})`);
    await tab.close();
    return loot;
  };
  const HARMLESS = ['refused', 'opaque'];
  const gained = (loot: Loot): Loot =>
    Object.fromEntries(Object.entries(loot).filter(([, got]) => !HARMLESS.includes(got)));
  /** Another site, and another port of this machine, which browsers take for the same site. */
  const sites = () => [`http://hostile.example:${portOf(page)}/`, `http://127.0.0.1:${portOf(page)}/`];

  /** A name that resolves to this machine makes the page same-origin: it reads only the refusal. */
  const refusesRebound = async (url: string, paths: string[], token: string): Promise<void> => {
    const rebound = url.replace(/127\.0\.0\.1|localhost/, 'rebound.example');
    for (const [way, got] of Object.entries(await attacked(`${rebound}/`, rebound, paths, token)))
      expect([way, got]).toEqual([way, expect.stringMatching(/^(refused$|opaque$|403 |read \{".*error"|read $)/)]);
  };

  test('reaches a server that checks nothing, so that these are attacks', async () => {
    const loot = await attacked(sites()[0]!, `http://127.0.0.1:${portOf(open)}`, ['/'], TOKEN);
    expect(gained(loot)).toEqual({ 'socket /': 'open' });
    expect([...taken].sort()).toEqual(['GET', 'OPTIONS', 'POST', 'WebSocket']);
  });

  test('gets nothing of the server of episodes, and no request of it reaches a server', async () => {
    const paths = ['/ws', '/v1/episodes', `/t/${TOKEN}/v1/rollouts`, `/t/${TOKEN}/v1/mcp`, '/health'];
    for (const from of sites())
      expect([from, gained(await attacked(from, front.url, paths, TOKEN))]).toEqual([from, {}]);
    await refusesRebound(front.url, paths, TOKEN);
    expect(front.counts().requests).toBe(0);
  });

  test("gets nothing through the gateway's port, which the relay of a container opens", async () => {
    for (const from of sites())
      expect(
        gained(await attacked(from, `http://localhost:${GATEWAY_PORT}`, ['/v1/messages', '/v1/models'], TOKEN)),
      ).toEqual({});
    await refusesRebound(`http://localhost:${GATEWAY_PORT}`, ['/v1/messages', '/v1/models'], TOKEN);
    expect(calls).toEqual([]);
  });

  test("gets nothing of the page's server, and no row changes", async () => {
    const rows = async (): Promise<unknown[]> =>
      (
        await db.pool.query<{ batches: string; count: string }>(
          `select md5(string_agg(b::text, ',' order by batch_id)) as batches, (select count(*) from events) from batches b`,
        )
      ).rows;
    const before = await rows();
    const paths = ['/api/v1/runs', '/api/v1/sql', '/api/v1/events'];
    for (const from of sites())
      expect([from, gained(await attacked(from, served.address, paths, served.token))]).toEqual([from, {}]);
    await refusesRebound(served.address, paths, served.token);
    expect(await rows()).toEqual(before);
  });
});
