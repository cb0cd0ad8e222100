import type { Context } from 'hono';
import { getPath } from 'hono/utils/url';
import type { HeaderOf } from '../domain/home/own-site.js';

/** The header that names a client's session; `/s/<key>` in front of a path says the same. */
const SESSION_HEADER = 'x-bench-session';
/** The header that names the task of every reset; `/envs/<task>` in front of a path says the same. */
const TASK_HEADER = 'x-bench-task';

/** Names the socket of a client to whatever stands in front of the server: a client without a key finds its episode again by it. */
export const CONNECTION_HEADER = 'x-bench-connection';
/** Names a request of a client, whichever server it is sent to: what it begins is begun once. */
export const REQUEST_HEADER = 'x-bench-request';
/** Number of the action whose outcome the client of that socket has read. */
export const RECEIVED_HEADER = 'x-bench-received';
/** How many frames of that socket have been answered: the next one that comes was sent as the one after. */
export const ANSWERED_HEADER = 'x-bench-answered';

/** A session's key is its client's secret. */
export const SESSION_KEY = /^[A-Za-z0-9_-]{16,64}$/;

const PREFIX = /^\/(envs|s|t)\/([^/?#]+)(?=[/?#]|$)/;

/** What a request says of its client. */
export interface Client {
  /** The path that the server knows, and the query behind it if there is one. */
  path: string;
  task: string | null;
  session: string | undefined;
  token: string;
}

/**
 * Clients that cannot send headers put `/envs/<task>`, `/s/<key>` and `/t/<token>` in front of a path, in any order. What these say goes
 * before headers.
 */
export function readClient(path: string, header: HeaderOf): Client {
  const named: Record<string, string> = {};
  for (let found = PREFIX.exec(path); found !== null; found = PREFIX.exec(path)) {
    const [whole, kind = '', value = ''] = found;
    named[kind] = decoded(value);
    path = path.slice(whole.length);
  }
  return {
    path: path.startsWith('/') ? path : `/${path}`,
    task: named['envs'] ?? header(TASK_HEADER) ?? null,
    session: named['s'] ?? header(SESSION_HEADER),
    token: named['t'] ?? header('x-api-key') ?? (header('authorization') ?? '').replace(/^Bearer /i, ''),
  };
}

export const clientOf = (c: Context): Client => readClient(getPath(c.req.raw), (name) => c.req.header(name));

/** The path without its prefixes, by which routes are found. */
export const pathOf = (request: Request): string => readClient(getPath(request), () => undefined).path;

/** As it stands, if it is no encoding of anything. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
