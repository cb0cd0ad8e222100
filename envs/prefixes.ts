import type { Context } from 'hono';
import { getPath } from 'hono/utils/url';
import type { HeaderOf } from '../domain/home/own-site.js';

/** Names a client's session, as does `/s/<key>` in front of a path. */
const SESSION_HEADER = 'x-bench-session';
/** Names the task of every reset, as does `/envs/<task>` in front of a path. */
const TASK_HEADER = 'x-bench-task';

/** The front's name of a socket, by which a client without a key finds its episode again. */
export const CONNECTION_HEADER = 'x-bench-connection';
/** Names a request across servers, so that what it begins is begun once. */
export const REQUEST_HEADER = 'x-bench-request';
/** Last outcome that the socket's client has read. */
export const RECEIVED_HEADER = 'x-bench-received';
export const ANSWERED_HEADER = 'x-bench-answered';

/** The client's secret. */
export const SESSION_KEY = /^[A-Za-z0-9_-]{16,64}$/;

const PREFIX = /^\/(envs|s|t)\/([^/?#]+)(?=[/?#]|$)/;

export interface Client {
  path: string;
  task: string | null;
  session: string | undefined;
  token: string;
}

/** `/envs/<task>`, `/s/<key>`, `/t/<token>` replace headers, in any order, and override them. */
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

export const pathOf = (request: Request): string => readClient(getPath(request), () => undefined).path;

/** Unchanged if it is not encoded. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
