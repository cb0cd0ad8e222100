import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../../domain/home/access.js';
import { BenchError } from '../../../domain/errors.js';
import { homeLayout } from '../../../domain/home/layout.js';
import { addToken, removeToken, pageTokens } from '../../../operations/home/page/tokens.js';
import { ALL_ROUTES, API } from '../../../web/api/routes.js';
import { createApp, type AppOptions } from '../../../web/server/app.js';
import { Raw } from '../../../web/server/call.js';

const home = mkdtempSync(join(tmpdir(), 'bench-page-'));
const page = join(home, 'page');
mkdirSync(join(page, 'assets'), { recursive: true });
writeFileSync(join(page, 'index.html'), '<!doctype html><title>bench</title>');
writeFileSync(join(page, 'assets', 'main-ABC.js'), 'export {};');
writeFileSync(join(home, 'secret.txt'), 'not of the page');
afterAll(() => rmSync(home, { recursive: true, force: true }));

const settings = { layout: homeLayout(home) };
const TOKENS = Object.fromEntries(
  ROLES.map((role) => [role, addToken(settings, { name: role, role, days: 1 }).token]),
) as Record<Role, string>;

/** Every route answers what it was asked with. */
const handlers: AppOptions['handlers'] = Object.fromEntries(
  Object.keys(ALL_ROUTES).map((name) => [
    name,
    ({ params, query, body }) => Promise.resolve({ name, params, query, body }),
  ]),
);

const HOST = '127.0.0.1:8222';
const appWith = (more: Partial<AppOptions> = {}) =>
  createApp({
    handlers,
    tokens: pageTokens(settings),
    hosts: [HOST],
    origins: [`http://${HOST}`],
    readOnly: false,
    compressed: false,
    version: '1.2.3',
    page,
    ...more,
  });
const app = appWith({ limits: { requestsPerSecond: 10_000 } });

interface Asked {
  method?: string;
  token?: string | null;
  headers?: Record<string, string>;
  body?: string;
  to?: ReturnType<typeof appWith>;
}
const ask = (path: string, { method = 'GET', token = TOKENS.operator, headers = {}, body, to = app }: Asked = {}) =>
  to.request(`http://${HOST}${path}`, {
    method,
    headers: {
      host: HOST,
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: { code: string } }).error.code;

/** What each route needs to be taken. */
const QUERIES: Record<string, string> = {
  steps: '?from=1&to=2',
  live: '?topic=now',
  search: '?q=loss',
  trend: '?task=t&model=m',
  leaderboardCell: '?model=m&kind=real&isolation=container',
  'batches budget preview': '?usd=5',
  'runs fork preview': '?step=3',
};
const TAG = { tag: 't' };
const BODIES: Record<string, Record<string, unknown>> = {
  'batches budget': { ...TAG, usd: '5' },
  'runs fork': { ...TAG, step: 3 },
  'person answers': { step: 1, try: 0, action: 'ls' },
  'person starts': { task: 'blotto' },
  sql: { query: 'select 1' },
};

describe('who may ask', () => {
  const routes = Object.entries(ALL_ROUTES);
  it.each(routes)(
    '%s: nobody without a token, its role and those above with one',
    async (name, { method, path, role }) => {
      const address = `${API}${path.replace(/:\w+/g, '1')}${QUERIES[name] ?? ''}`;
      const body = method === 'POST' ? JSON.stringify(BODIES[name] ?? TAG) : undefined;
      const answer = (token: string | null) => ask(address, { method, token, ...(body !== undefined && { body }) });
      const status = async (token: string | null) => (await answer(token)).status;
      // None stands in the place of another.
      if (name !== 'openapi') expect(await (await answer(TOKENS.operator)).json()).toMatchObject({ name });
      expect([await status(null), await status(TOKENS.viewer), await status(TOKENS.operator)]).toEqual(
        role === null ? [200, 200, 200] : role === 'viewer' ? [401, 200, 200] : [401, 403, 200],
      );
    },
  );

  it('a token that was removed or has ended is let in no more', async () => {
    const { token } = addToken(settings, { name: 'ann', role: 'viewer', days: 1 });
    const { token: ended } = addToken(settings, { name: 'bob', role: 'viewer', days: -1 });
    expect((await ask(`${API}/me`, { token })).status).toBe(200);
    expect((await ask(`${API}/me`, { token: ended })).status).toBe(401);
    removeToken(settings, 'ann');
    expect((await ask(`${API}/me`, { token })).status).toBe(401);
  });

  it('lets a right token in from an address that has tried 20 wrong ones, and refuses more of these', async () => {
    const strict = appWith({ addressOf: (c) => c.req.header('x-from') ?? '' });
    const from = (address: string, token: string) =>
      ask(`${API}/me`, { token, to: strict, headers: { 'x-from': address } });
    for (let i = 0; i < 20; i++) expect((await from('a', `wrong-${i}`)).status).toBe(401);
    const refused = await from('a', 'wrong-20');
    expect([refused.status, await codeOf(refused)]).toEqual([429, 'requests.too_many']);
    for (const token of [TOKENS.operator, TOKENS.viewer]) expect((await from('a', token)).status).toBe(200);
    expect((await from('b', 'wrong-20')).status).toBe(401);
  });

  it('counts the requests of each token', async () => {
    const strict = appWith({ limits: { requestsPerSecond: 3 } });
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await ask(`${API}/me`, { to: strict })).status));
    expect(statuses.sort()).toEqual([200, 200, 200, 429]);
    expect((await ask(`${API}/me`, { to: strict, token: TOKENS.viewer })).status).toBe(200);
  });

  it('has no route that changes anything where it is read-only', async () => {
    const reading = appWith({ readOnly: true });
    const body = JSON.stringify({ tag: 't' });
    expect((await ask(`${API}/batches/b-1/pause`, { method: 'POST', body, to: reading })).status).toBe(404);
    expect((await ask(`${API}/runs`, { to: reading })).status).toBe(200);
  });
});

describe('requests from elsewhere', () => {
  it.each([
    ['another host', { host: 'evil.example:8222' }],
    ['a host without its port', { host: '127.0.0.1' }],
    ['the origin of another site', { origin: 'http://evil.example' }],
    ['the origin of another port', { origin: 'http://127.0.0.1:1' }],
    ['no origin that is told', { origin: 'null' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', { 'sec-fetch-site': 'same-site' }],
  ])('are refused: %s', async (_what, headers) => {
    const response = await ask(`${API}/runs`, { headers });
    expect([response.status, await codeOf(response)]).toEqual([403, 'access.denied']);
  });

  it('are taken from the page itself', async () => {
    const headers = { origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' };
    expect((await ask(`${API}/runs`, { headers })).status).toBe(200);
  });
});

describe('what is sent', () => {
  const post = (body: string, headers: Record<string, string> = {}, to = app) =>
    ask(`${API}/batches/b-1/pause`, { method: 'POST', body, headers, to });

  it('must be JSON', async () => {
    expect((await post('{"tag":"t"}', { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await post('tag=t')).status).toBe(400);
  });

  it('must have the keys of the route, and no others', async () => {
    for (const body of ['{}', '{"tag":1}', '{"tag":"t","more":1}', '[]', 'null'])
      expect([body, (await post(body)).status]).toEqual([body, 400]);
    for (const query of [
      '?limit=0',
      '?limit=1001',
      '?limit=x',
      '?sort=nothing',
      '?what=1',
      '?limit=1&limit=2',
      '?status=x',
    ])
      expect([query, (await ask(`${API}/runs${query}`)).status]).toEqual([query, 400]);
  });

  it('may not be larger than is taken', async () => {
    const response = await post(JSON.stringify({ tag: 'x'.repeat(1024 * 1024) }));
    expect([response.status, await codeOf(response)]).toEqual([413, 'request.too_large']);
  });

  it('is read as the schema has it: lists, numbers, defaults', async () => {
    const response = await ask(`${API}/runs?model=1&model=b&stepsMin=3&text=7`);
    expect(((await response.json()) as { query: unknown }).query).toEqual({
      model: ['1', 'b'],
      stepsMin: 3,
      text: '7',
      sort: '-createdAt',
      limit: 100,
    });
  });
});

describe('what is answered', () => {
  const failing = (error: Error) => appWith({ handlers: { ...handlers, runs: () => Promise.reject(error) } });

  it.each([
    ['usage', 422],
    ['not_found', 404],
    ['conflict', 409],
    ['services', 503],
    ['failed', 500],
  ] as const)('an error of type %s has the status %d, and says what to do', async (type, status) => {
    const to = failing(new BenchError(type, 'it did not work', { remedy: 'Try this.' }));
    const response = await ask(`${API}/runs`, { to });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: { type, code: type, message: 'it did not work', remedy: 'Try this.' },
    });
    expect(response.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
  });

  it('is not sent again to who has it', async () => {
    const first = await ask(`${API}/runs`);
    const tag = first.headers.get('etag') ?? '';
    const second = await ask(`${API}/runs`, { headers: { 'if-none-match': `"other", W/${tag}` } });
    expect([tag.length > 20, second.status, await second.text()]).toEqual([true, 304, '']);
    expect((await ask(`${API}/runs?limit=1`, { headers: { 'if-none-match': tag } })).status).toBe(200);
  });

  it('ends when it takes too long, or is too long', async () => {
    const slow = appWith({
      handlers: { ...handlers, runs: () => new Promise(() => undefined) },
      limits: { requestMs: 20 },
    });
    expect((await ask(`${API}/runs`, { to: slow })).status).toBe(503);
    const long = appWith({ limits: { answerBytes: 20 } });
    expect(await codeOf(await ask(`${API}/runs`, { to: long }))).toBe('request.invalid');
  });

  it('may be opened by nobody as a page, whoever wrote it', async () => {
    const bytes = Buffer.from('<script>alert(1)</script>');
    const to = appWith({ handlers: { ...handlers, file: () => Promise.resolve(new Raw(200, bytes, {})) } });
    const response = await ask(`${API}/files/ab`, { to });
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe(bytes.toString());
  });

  it('is not there under other names', async () => {
    for (const path of [`${API}/nothing`, `${API}/runs/r-1/nothing`, `${API}`])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
  });
});

describe('the page', () => {
  it('is one document for every address, which may load nothing from elsewhere', async () => {
    for (const path of ['/', '/runs/r-1?tab=scores', '/batches']) {
      const response = await ask(path, { token: null });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<title>bench</title>');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-");
      for (const part of ["frame-ancestors 'none'", "require-trusted-types-for 'script'", "connect-src 'self'"])
        expect(policy).toContain(part);
      expect(policy).not.toMatch(/unsafe|\*/);
    }
  });

  it('has other nonces each time', async () => {
    const policies = await Promise.all([1, 2].map(async () => (await ask('/')).headers.get('content-security-policy')));
    expect(policies[0]).not.toBe(policies[1]);
  });

  it('has its parts, which never change, and nothing beside them', async () => {
    const part = await ask('/assets/main-ABC.js', { token: null });
    expect([part.status, part.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(part.headers.get('cache-control')).toContain('immutable');
    for (const name of ['..%2F..%2Fsecret.txt', '%2e%2e%2findex.html', 'nothing.js', '.hidden', '..'])
      expect([name, await (await ask(`/assets/${name}`, { token: null })).text()]).toEqual([
        name,
        expect.not.stringContaining('not of the page') as string,
      ]);
  });

  it.each(['/', `${API}/runs`, `${API}/nothing`, '/assets/main-ABC.js'])(
    '%s carries the headers of every answer',
    async (path) => {
      const { headers } = await ask(path);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('set-cookie')).toBeNull();
    },
  );
});

it('describes every route that it serves, and resolves every reference', async () => {
  const document = (await (await ask(`${API}/openapi.json`)).json()) as {
    openapi: string;
    paths: Record<string, Record<string, unknown>>;
    components: { schemas: Record<string, unknown> };
  };
  expect(document.openapi).toBe('3.1.0');
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(listed.sort()).toEqual(
    Object.values(ALL_ROUTES)
      .map(({ method, path }) => `${method} ${API}${path.replace(/:(\w+)/g, '{$1}')}`)
      .sort(),
  );
  const text = JSON.stringify(document);
  for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
    expect(document.components.schemas).toHaveProperty([name ?? '']);
  expect(text).not.toContain('$defs');
});
