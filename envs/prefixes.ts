import type { IncomingHttpHeaders } from 'node:http';

/** The header that names a client's session; `/s/<key>` in front of a path says the same. */
export const SESSION_HEADER = 'x-bench-session';
/** The header that names the task of every reset; `/envs/<task>` in front of a path says the same. */
export const TASK_HEADER = 'x-bench-task';

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

/**
 * Takes what clients that cannot send headers put in front of a path: `/envs/<task>`, `/s/<key>` and `/t/<token>`, in any order. What they say
 * becomes headers of the request. Returns the URL that is left: what the server knows.
 */
export function withoutPrefixes(request: { url?: string | undefined; headers: IncomingHttpHeaders }): string {
  let url = request.url ?? '/';
  for (let found = PREFIX.exec(url); found !== null; found = PREFIX.exec(url)) {
    const [whole, kind, value = ''] = found;
    take(request.headers, kind, decoded(value));
    url = url.slice(whole.length);
  }
  return url.startsWith('/') ? url : `/${url}`;
}

function take(headers: IncomingHttpHeaders, kind: string | undefined, value: string): void {
  if (kind === 'envs') headers[TASK_HEADER] = value;
  if (kind === 's') headers[SESSION_HEADER] = value;
  if (kind !== 't') return;
  delete headers['x-api-key'];
  headers.authorization = `Bearer ${value}`;
}

/** As it stands, if it is no encoding of anything. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
