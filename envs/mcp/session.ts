import type { Context } from 'hono';
import { BenchError } from '../../domain/errors.js';
import { preview } from '../../operations/episodes/beginning.js';
import type { ServerContext } from '../context.js';
import { SESSION_ID, type Sessions } from '../ors/session.js';
import type { Play } from '../play.js';
import { clientOf } from '../prefixes.js';
import { refuseUnstorable } from '../storable-input.js';
import { Unnamed } from './errors.js';

const SESSION = 'mcp-session-id';
/** JSON of the episode's reset, set by the harness's configuration, never by its model. */
const RESET_HEADER = 'x-bench-reset';

export interface McpServer extends Pick<ServerContext, 'bench' | 'env'> {
  play: Play;
  sessions: Sessions;
}

export function sessionIn(c: Context): string {
  const sid = c.req.header(SESSION);
  if (sid === undefined) throw new Unnamed(400, 'the header Mcp-Session-Id is missing');
  if (SESSION_ID.test(sid)) return sid;
  throw new Unnamed(404, 'unknown session');
}

export function resetOf(c: Context): Record<string, unknown> {
  const text = c.req.header(RESET_HEADER);
  const { task } = clientOf(c);
  const named = task === null ? {} : { task };
  if (text === undefined) return named;
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch (error) {
    throw new BenchError('usage', `X-Bench-Reset is no JSON: ${(error as Error).message}`, {
      remedy: 'Send an object with the keys of a reset, as {"task": "battleOfSexes"}.',
    });
  }
  refuseUnstorable(sent);
  return { ...named, ...(sent as Record<string, unknown>) };
}

/** The policy's first message: a preview if the episode has not begun. */
export async function shown({ bench, env, play, sessions }: McpServer, sid: string, c: Context): Promise<string> {
  const episode = await sessions.find(sid);
  const reset = resetOf(c);
  if (episode !== null) return (await play.beginning(episode)).message;
  if (!('fork_of' in reset)) return preview(bench, env, reset, `r-${SESSION_ID.exec(sid)?.[1] ?? ''}`);
  return (await play.beginning(await sessions.create(sid, { task_spec: reset }))).message;
}

export async function refuseEnded({ sessions }: McpServer, sid: string): Promise<void> {
  // 404 tells a client to begin another session.
  if ((await sessions.find(sid)) !== null) await sessions.played(sid);
}
