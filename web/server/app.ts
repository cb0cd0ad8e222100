import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { mayAct } from '../../domain/home/access.js';
import { BenchError } from '../../domain/errors.js';
import { refuseOtherHost, refuseOtherSite } from '../../domain/foreign-requests.js';
import { errorDocument, errorHeaders, statusOf } from '../../domain/http-errors.js';
import type { Token } from '../../domain/views/page.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import { whileWanted } from '../../operations/while-wanted.js';
import type { Route } from '../api/route.js';
import { ALL_ROUTES, API } from '../api/routes.js';
import { type Handler, Raw } from './call.js';
import { COMMON_HEADERS } from './headers.js';
import { openApi } from './openapi.js';
import { servePage } from './page-files.js';
import { Rate } from './rate.js';
import { readBody, readQuery } from './read-request.js';

export interface AppOptions {
  /** By route; a route without a handler does not exist. */
  handlers: Readonly<Record<string, Handler>>;
  tokens: { find(token: string): Token | null };
  /** `host:port`, as browsers send it, against DNS rebinding. */
  hosts: readonly string[];
  /** From which pages may send requests. */
  origins: readonly string[];
  readOnly: boolean;
  /** For networks slower than compression. */
  compressed: boolean;
  version: string;
  page: string;
  addressOf?: (c: Context) => string;
  limits?: Partial<typeof LIMITS>;
}

const LIMITS = {
  bodyBytes: 1024 * 1024,
  requestsPerSecond: 100,
  badTokensPerMinute: 20,
  requestMs: 30_000,
  answerBytes: 16 * 1024 * 1024,
};

/** Words before parameters, which match any word. */
const bySpecificity = ([, a]: readonly [string, Route], [, b]: readonly [string, Route]): number =>
  marked(a.path) < marked(b.path) ? -1 : 1;
/** `~` sorts after every letter. */
const marked = (path: string): string => path.replace(/:\w+/g, '~');

export function createApp(options: AppOptions): Hono {
  const limits = { ...LIMITS, ...options.limits };
  const app = new Hono();
  refuseStrangers(app, options, limits);
  serveRoutes(app, options, limits);
  app.all(`${API}/*`, (c) => {
    throw new BenchError('not_found', `no route ${c.req.method} ${c.req.path}`, {
      remedy: `GET ${API}/openapi.json lists the routes.`,
    });
  });
  servePage(app, options.page);
  return app;
}

/** Sets headers and errors; refuses other hosts and sites, and large requests. */
function refuseStrangers(app: Hono, options: AppOptions, limits: typeof LIMITS): void {
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(COMMON_HEADERS)) if (!c.res.headers.has(name)) c.header(name, value);
  });
  app.onError((thrown, c) => {
    const error = asBenchError(thrown);
    const status = statusOf(error);
    return c.json(errorDocument(error), status, { ...COMMON_HEADERS, ...errorHeaders(status) });
  });
  app.use(async (c, next) => {
    refuseOtherHost((name) => c.req.header(name), options, `Open it as ${options.origins[0] ?? ''}.`);
    await next();
  });
  if (options.compressed) app.use(compress());
  app.use(`${API}/*`, async (c, next) => {
    // Without cookies another site could not act for a user; still refuse it.
    refuseOtherSite((name) => c.req.header(name), options, c.req.method !== 'GET');
    await next();
  });
  app.use(
    `${API}/*`,
    bodyLimit({
      maxSize: limits.bodyBytes,
      onError: () => {
        throw new BenchError('usage', `a request has at most ${limits.bodyBytes} bytes`, { code: 'request.too_large' });
      },
    }),
  );
}

function serveRoutes(app: Hono, options: AppOptions, limits: typeof LIMITS): void {
  const served = Object.entries(ALL_ROUTES).filter(
    ([name, route]) => options.handlers[name] !== undefined && (!options.readOnly || readsOnly(route)),
  );
  const openapi = { ...ALL_ROUTES['openapi']! };
  const handlers: Record<string, Handler> = {
    ...options.handlers,
    openapi: () => Promise.resolve(openApi(Object.fromEntries([...served, ['openapi', openapi]]), options.version)),
  };
  const whoOf = identify(options, limits);
  for (const [name, route] of [...served, ['openapi', openapi] as const].sort(bySpecificity))
    app.on(route.method, `${API}${route.path}`, async (c) => {
      const who = whoOf(c, route);
      const call = {
        params: c.req.param() as Record<string, string>,
        query: readQuery(route.query, new URL(c.req.url).searchParams),
        body: route.body === undefined ? {} : readBody(route.body, await c.req.text()),
        who,
        header: (header: string) => c.req.header(header),
        stillAllowed: () => options.tokens.find(tokenOf(c.req.header('authorization')) ?? '') !== null,
      };
      const { signal } = c.req.raw;
      const answer = await within(route.limitMs ?? limits.requestMs, signal, (wanted) => {
        // A stream outlives its request's answer; an action must not be cut.
        if (route.answer === 'events' || !readsOnly(route)) return handlers[name]!({ ...call, signal });
        return whileWanted(wanted, () => handlers[name]!({ ...call, signal: wanted }));
      });
      return answer instanceof Raw ? raw(c, answer) : document(c, answer, limits.answerBytes);
    });
}

/** Null: the route needs no token. BenchError (usage): it is wrong, or its role is too low. */
function identify(options: AppOptions, limits: typeof LIMITS): (c: Context, route: Route) => Token | null {
  const addressOf = options.addressOf ?? (() => 'here');
  const badTokens = new Rate(limits.badTokensPerMinute, 60_000);
  const requests = new Rate(limits.requestsPerSecond, 1000);
  return (c, { role }) => {
    if (role === null) return null;
    const token = tokenOf(c.req.header('authorization'));
    const who = token === undefined ? null : options.tokens.find(token);
    if (who === null) {
      // Right tokens always pass: behind a proxy all share an address, and guessing is hopeless.
      if (token !== undefined && !badTokens.take(addressOf(c)))
        throw new BenchError('usage', 'too many wrong tokens came from this address', { code: 'requests.too_many' });
      throw new BenchError('usage', 'the token is missing or wrong', {
        code: 'token.invalid',
        remedy: 'Open the address that `bench serve` prints, or make a token with `bench tokens add`.',
      });
    }
    if (!requests.take(who.name))
      throw new BenchError('usage', 'too many requests with this token', { code: 'requests.too_many' });
    if (!mayAct(who.role, role))
      throw new BenchError('usage', `the token ${who.name} has the role viewer, which may only read`, {
        code: 'access.denied',
        remedy: 'Ask for a token of the role operator: `bench tokens add --role operator`.',
      });
    return who;
  };
}

const tokenOf = (header: string | undefined): string | undefined => /^Bearer (\S{1,200})$/i.exec(header ?? '')?.[1];

const readsOnly = ({ method, reads }: Route): boolean => method === 'GET' || reads === true;

/** At the limit, or when the client has gone, `wanted` aborts. */
async function within<T>(ms: number, gone: AbortSignal, work: (wanted: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const leave = (): void => ending.abort();
  gone.addEventListener('abort', leave);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new BenchError('services', `no response within ${ms / 1000} s`, {
          code: 'services.connection_lost',
          remedy: 'Ask for less, or try again.',
        }),
      );
      ending.abort();
    }, ms);
  });
  try {
    return await Promise.race([work(ending.signal), late]);
  } finally {
    clearTimeout(timer);
    gone.removeEventListener('abort', leave);
  }
}

/** With an ETag: a client that has the content gets 304. */
function document(c: Context, answer: unknown, most: number): Response {
  const text = JSON.stringify(answer);
  if (Buffer.byteLength(text) > most)
    throw new BenchError('usage', `the response would exceed ${most} bytes`, {
      code: 'request.invalid',
      remedy: 'Ask for fewer at once: see `limit`.',
    });
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  if (c.req.method === 'GET' && knows(c, tag)) return c.body(null, 304, { ETag: tag });
  return c.body(text, 200, { 'Content-Type': 'application/json; charset=utf-8', ETag: tag });
}

function raw(c: Context, { status, body, headers }: Raw): Response {
  const tag = headers['ETag'];
  if (tag !== undefined && knows(c, tag)) return c.body(null, 304, { ...headers });
  return c.body(body as ReadableStream, status, { ...headers });
}

const knows = (c: Context, tag: string): boolean =>
  (c.req.header('if-none-match') ?? '')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .includes(tag);
