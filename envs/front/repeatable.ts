/** Last parts of paths of OpenEnv and ORS that only read, or are idempotent. */
const SAME_TWICE = new Set([
  ...['tasks', 'num_tasks', 'task', 'task_range'],
  ...['ping', 'create', 'create_session', 'delete', 'delete_session'],
]);

/** Last parts of paths that are idempotent by a key of the body. */
const KEYED: Readonly<Record<string, string>> = {
  step: 'action_seq',
  steps: 'action_seq',
  call: 'task_id',
  episodes: 'episode_id',
  fork: 'fork_id',
  reset: 'episode_id',
};

/** These clients never retry; the server recognizes repeats by session, or by the first request. */
const KNOWN_BY_SESSION = /\/(nemo\/(reset|step)|v1\/mcp)\/?(?:[?#]|$)/;

/** Held while no server listens, since the client would take a refusal for the end. */
export const isHeld = (url: string): boolean => KNOWN_BY_SESSION.test(url);

/** May a second server get this request, even if the first has done it? `url`: as sent. */
export function isRepeatable(method: string, url: string, body: Buffer): boolean {
  if (['GET', 'HEAD', 'OPTIONS', 'DELETE', 'PUT'].includes(method)) return true;
  if (isHeld(url)) return true;
  const last = /([^/?#]*)\/?(?:[?#]|$)/.exec(url)?.[1] ?? '';
  if (SAME_TWICE.has(last)) return true;
  const key = KEYED[last];
  if (key === undefined) return false;
  const sent = parsed(body);
  // A list of steps has a number in each.
  const parts: unknown[] = Array.isArray(sent) ? sent : [sent];
  return parts.length > 0 && parts.every((part) => isSet((part as Record<string, unknown> | null)?.[key]));
}

const isSet = (value: unknown): boolean => typeof value === 'number' || (typeof value === 'string' && value !== '');

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return null;
  }
}
