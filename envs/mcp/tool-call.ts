import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { isOutage } from '../../operations/as-bench-error.js';
import { type Answer, playAction, playControl } from '../ors/call.js';
import { EventStream } from '../ors/event-stream.js';
import type { CallResult } from '../ors/result.js';
import { readCall } from '../ors/tools.js';
import type { Request } from '../request.js';
import { failureOf } from './errors.js';
import { type McpServer, refuseEnded, resetOf, sessionIn } from './session.js';

/** Clients since this version accept an event that only has an id to resume by. */
const PRIMED = '2025-11-25';
const TAKEN_LOOK_MS = 25;

interface ToolCall {
  id: unknown;
  name: string;
  input: unknown;
  /** The id by which the client resumes. */
  asked: number | null;
}

export async function playCall(server: McpServer, c: Request, { id, name, input, asked }: ToolCall): Promise<Response> {
  const { play, sessions } = server;
  const sid = sessionIn(c);
  const episode = await sessions.create(sid, { task_spec: resetOf(c) });
  await refuseEnded(server, sid);
  const read = readCall(name, input);
  const gone = c.req.raw.signal;
  let [over, stream]: [boolean, EventStream | null] = [false, null];
  const opened = (): EventStream => (stream ??= new EventStream(c.env.outgoing));
  let event: string | undefined;
  /** Sends nothing before the action is taken, so that the next server could take the call. */
  const taken = async (seq: number, primed: string | undefined): Promise<void> => {
    while (!over && !gone.aborted && (await play.taken(episode.runId, seq)) === null) await sleep(TAKEN_LOOK_MS);
    if (over || gone.aborted) return;
    if (primed === undefined) opened();
    else await opened().send('message', '', primed);
  };
  const announce = (seq: number): Promise<void> => {
    event = `${seq}.${Buffer.from(JSON.stringify(id ?? null)).toString('base64url')}`;
    const version = c.req.header('mcp-protocol-version') ?? '';
    void taken(seq, version >= PRIMED && asked === null ? event : undefined).catch(() => undefined);
    return Promise.resolve();
  };
  const context = { play, episode, signal: gone, announce };
  const result = async (): Promise<Answer> => {
    if (read.kind === 'wrong') return { result: read.result, read: [] };
    if (read.kind === 'action') return playAction(context, read.action, asked);
    opened();
    return playControl(context, read.command);
  };
  try {
    const given = await result();
    over = true;
    if (gone.aborted) return RESPONSE_ALREADY_SENT;
    // Before the last event, so that an equal later call is new; a lost one resumes by number.
    for (const seq of given.read) await play.delivered(episode.runId, seq);
    const response = { jsonrpc: '2.0', id: id ?? null, result: toolResult(given.result) };
    opened().end('message', JSON.stringify(response), event);
  } catch (thrown) {
    over = true;
    if (gone.aborted || isOutage(thrown)) opened().cut();
    else opened().end('message', JSON.stringify(failureOf(id, thrown)), event);
  }
  return RESPONSE_ALREADY_SENT;
}

/** The policy sees the content; the rest is where harnesses do not show it to a model. */
function toolResult(result: CallResult): object {
  if (!result.ok)
    return {
      content: [{ type: 'text', text: result.error }],
      isError: true,
      _meta: { bench: { reason: result.reason } },
    };
  const { blocks, metadata, reward, finished } = result.output;
  const content = blocks.map(({ type, text }) => ({ type, text }));
  return { content, isError: false, _meta: { bench: { reward, done: finished, metadata } } };
}
