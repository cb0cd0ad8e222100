/** What only reads, or is the same when it is done twice: last parts of paths of OpenEnv and ORS. */
const SAME_TWICE = new Set([
  ...['tasks', 'num_tasks', 'task', 'task_range'],
  ...['ping', 'create', 'create_session', 'delete', 'delete_session'],
]);

/** What a server knows again by a key of its body: last parts of paths, and the key. */
const KEYED: Readonly<Record<string, string>> = {
  step: 'action_seq',
  steps: 'action_seq',
  call: 'task_id',
  episodes: 'episode_id',
  fork: 'fork_id',
  reset: 'episode_id',
};

/** Clients of MCP and NeMo Gym retry nothing; the server knows what it took by their session, or by the request that begins one. */
const KNOWN_BY_SESSION = /\/(nemo\/(reset|step)|v1\/mcp)\/?(?:[?#]|$)/;

/** Is this request kept while no server listens, since its client would take a refusal for the end? */
export const isHeld = (url: string): boolean => KNOWN_BY_SESSION.test(url);

/** May this request be sent to a second server, without harm if the first had done what it asks? `url`: as the client wrote it. */
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
