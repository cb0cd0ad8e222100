import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { asBenchError, isOutage } from '../../operations/as-bench-error.js';
import { preview } from '../../operations/episodes/beginning.js';
import type { ServerContext } from '../context.js';
import { goneOf } from '../gone.js';
import { sayWhetherAgain, textOf } from '../http-errors.js';
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  requestSchema,
  rpcError,
  rpcFailure,
} from '../openenv/rpc.js';
import { EpisodeFault, type Answer, playAction, playControl } from '../ors/call.js';
import { EventStream } from '../ors/event-stream.js';
import type { CallResult } from '../ors/result.js';
import { newSessionId, openSessions, SESSION_ID } from '../ors/session.js';
import { readCall } from '../ors/tools.js';
import type { Play } from '../play.js';
import { TASK_HEADER } from '../prefixes.js';
import { refuseUnstorable, refuseUnstorableCall } from '../storable-input.js';
import { TOOLS } from '../tools.js';

/** Newest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];
/** From here on clients know an event that says nothing but how to ask again. */
const PRIMED = '2025-11-25';
const SESSION = 'mcp-session-id';
const TAKEN_LOOK_MS = 25;
/** How its episode begins, as JSON: whoever configures the harness sets it, never its model. */
const RESET_HEADER = 'x-bench-reset';

const callSchema = z.looseObject({ name: z.string(), arguments: z.unknown().optional() });
const promptSchema = z.looseObject({ name: z.string() });
const helloSchema = z.looseObject({ protocolVersion: z.string().optional() });

const PROMPT = { name: 'task', description: 'The task, as the policy is to see it first' };

/** MCP over streamable HTTP, at /v1/mcp. A session is an episode, which begins with its first call; no tool begins another one. */
export function mcpRoutes({ bench, env }: ServerContext, play: Play): FastifyPluginCallback {
  const sessions = openSessions(play, env.options.reward, 'mcp');
  const runOf = (sid: string): string => `r-${SESSION_ID.exec(sid)?.[1] ?? ''}`;

  const shown = async (sid: string, request: FastifyRequest): Promise<string> => {
    const episode = await sessions.find(sid);
    const reset = resetOf(request);
    if (episode !== null) return (await play.beginning(episode)).message;
    if (!('fork_of' in reset)) return preview(bench, env, reset, runOf(sid));
    return (await play.beginning(await sessions.create(sid, { task_spec: reset }))).message;
  };

  const hello = async (request: FastifyRequest, reply: FastifyReply, params: unknown): Promise<object> => {
    const { protocolVersion: asked = '' } = helloSchema.parse(params);
    const sid = newSessionId();
    const instructions = await shown(sid, request);
    void reply.header('Mcp-Session-Id', sid);
    return {
      protocolVersion: VERSIONS.includes(asked) ? asked : VERSIONS[0],
      capabilities: { tools: {}, prompts: {} },
      serverInfo: { name: 'bench', version: env.harnessVersion },
      instructions,
    };
  };

  /** A method that is answered at once. */
  const answer = async (request: FastifyRequest, method: string, params: unknown): Promise<object> => {
    const sid = sessionIn(request);
    await refuseEnded(sid);
    switch (method) {
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: TOOLS.map(({ input_schema: inputSchema, ...tool }) => ({ ...tool, inputSchema })) };
      case 'prompts/list':
        return { prompts: [PROMPT] };
      case 'prompts/get': {
        const { name } = promptSchema.parse(params);
        if (name !== PROMPT.name)
          throw new BenchError('usage', `name: there is no prompt ${JSON.stringify(name)}`, {
            remedy: `There is one: ${PROMPT.name}.`,
          });
        const text = await shown(sid, request);
        return { messages: [{ role: 'user', content: { type: 'text', text } }] };
      }
      default:
        throw new UnknownMethod(method);
    }
  };

  const refuseEnded = async (sid: string): Promise<void> => {
    // 404 tells a client to begin another session.
    if ((await sessions.find(sid)) !== null) await sessions.played(sid);
  };

  /** Plays a call; `asked`: the number that its client asks again by. */
  const playCall = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { id, name, input, asked }: { id: unknown; name: string; input: unknown; asked: number | null },
  ): Promise<FastifyReply> => {
    const sid = sessionIn(request);
    const episode = await sessions.create(sid, { task_spec: resetOf(request) });
    await refuseEnded(sid);
    const read = readCall(name, input);
    const gone = goneOf(reply);
    let [over, stream]: [boolean, EventStream | null] = [false, null];
    const opened = (): EventStream => (stream ??= new EventStream(reply));
    let event: string | undefined;
    /** Nothing is sent before the action is taken: until then a server that dies leaves the whole call to the next one. */
    const taken = async (seq: number, primed: string | undefined): Promise<void> => {
      while (!over && !gone.aborted && (await play.taken(episode.runId, seq)) === null) await sleep(TAKEN_LOOK_MS);
      if (over || gone.aborted) return;
      if (primed === undefined) opened();
      else await opened().send('message', '', primed);
    };
    const announce = (seq: number): Promise<void> => {
      event = `${seq}.${Buffer.from(JSON.stringify(id ?? null)).toString('base64url')}`;
      void taken(seq, versionOf(request) >= PRIMED && asked === null ? event : undefined).catch(() => undefined);
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
      if (gone.aborted) return reply;
      // Before the last event, so that an equal call after it is a new one: whoever lost it has a number to ask with.
      for (const seq of given.read) await play.delivered(episode.runId, seq);
      const response = { jsonrpc: '2.0', id: id ?? null, result: toolResult(given.result) };
      opened().end('message', JSON.stringify(response), event);
    } catch (thrown) {
      over = true;
      if (gone.aborted || isOutage(thrown)) opened().cut();
      else opened().end('message', JSON.stringify(failureOf(id, thrown)), event);
    }
    return reply;
  };

  return (app, _options, done) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, parsed) => parsed(null, text));
    app.setErrorHandler((thrown, _request, reply) => refuse(reply, null, thrown));

    app.post('/v1/mcp', async (request, reply) => {
      let sent: unknown;
      try {
        sent = JSON.parse(typeof request.body === 'string' ? request.body : '');
      } catch (error) {
        return reply.code(400).send(rpcError(null, PARSE_ERROR, `the body is no JSON: ${(error as Error).message}`));
      }
      const read = requestSchema.safeParse(sent);
      if (!read.success)
        return reply
          .code(400)
          .send(rpcError(null, INVALID_REQUEST, 'a request is one {jsonrpc: "2.0", method, params, id}'));
      const { id, method, params = {} } = read.data;
      // A notification, which nothing here depends on.
      if (id === undefined) return reply.code(202).send();
      try {
        refuseUnstorableCall(sent);
        if (method === 'tools/call') {
          const { name, arguments: input } = callSchema.parse(params);
          return await playCall(request, reply, { id, name, input, asked: null });
        }
        const result =
          method === 'initialize' ? await hello(request, reply, params) : await answer(request, method, params);
        return await reply.send({ jsonrpc: '2.0', id, result });
      } catch (thrown) {
        return refuse(reply, id, thrown);
      }
    });

    // A stream that broke is resumed; there are no others.
    app.get('/v1/mcp', async (request, reply) => {
      const again = /^([1-9]\d{0,8})\.([A-Za-z0-9_-]+)$/.exec(String(request.headers['last-event-id'] ?? ''));
      const episode = again === null ? null : await sessions.find(sessionIn(request));
      const seq = Number(again?.[1]);
      const taken = episode === null ? null : await play.taken(episode.runId, seq);
      if (again === null || taken === null || !('command' in taken.action))
        return reply.code(405).header('Allow', 'POST, DELETE').send();
      const id: unknown = JSON.parse(Buffer.from(again[2] ?? '', 'base64url').toString());
      const { command } = taken.action;
      const named =
        command === 'validate' || command === 'submit' ? { name: command } : { name: 'run', input: { command } };
      return playCall(request, reply, { id, input: undefined, ...named, asked: seq });
    });

    app.delete('/v1/mcp', async (request, reply) => {
      const episode = await sessions.find(sessionIn(request));
      if (episode !== null) await play.end(episode);
      return reply.code(204).send();
    });
    done();
  };
}

/** What the policy sees is the content; all else is beside it, where harnesses do not show it to a model. */
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

class UnknownMethod extends Error {}

function failureOf(id: unknown, thrown: unknown): object {
  if (thrown instanceof UnknownMethod) return rpcError(id, METHOD_NOT_FOUND, `Method not found: ${thrown.message}`);
  if (thrown instanceof EpisodeFault) return rpcFailure(id, new BenchError('failed', thrown.message));
  if (thrown instanceof z.ZodError) {
    const problems = thrown.issues.map(({ path, message }) => `params.${path.join('.')}: ${message}`);
    return rpcError(id, INVALID_PARAMS, problems.join('; '));
  }
  return rpcFailure(id, thrown);
}

/** JSON-RPC's errors are answers like others; of the session the status tells, which clients act on. */
function refuse(reply: FastifyReply, id: unknown, thrown: unknown): FastifyReply {
  const { status } = thrown as { status?: number };
  const error = failureOf(id, thrown);
  if (thrown instanceof BenchError && status !== undefined)
    return reply.code(status === 400 ? 400 : 404).send(rpcError(id, INVALID_REQUEST, textOf(thrown)));
  if (isOutage(thrown)) {
    const away = asBenchError(thrown);
    sayWhetherAgain(reply, 503, away);
    return reply.code(503).send(rpcFailure(id, away));
  }
  return reply.code(200).send(error);
}

function sessionIn({ headers }: FastifyRequest): string {
  const sid = headers[SESSION];
  if (typeof sid === 'string' && SESSION_ID.test(sid)) return sid;
  throw sid === undefined
    ? new Unnamed(400, 'the header Mcp-Session-Id is missing')
    : new Unnamed(404, 'unknown session');
}

class Unnamed extends BenchError {
  constructor(
    readonly status: 400 | 404,
    message: string,
  ) {
    super(status === 400 ? 'usage' : 'not_found', message, { remedy: '`initialize` gives one.' });
  }
}

const versionOf = ({ headers }: FastifyRequest): string => String(headers['mcp-protocol-version'] ?? '');

function resetOf({ headers }: FastifyRequest): Record<string, unknown> {
  const [text, task] = [headers[RESET_HEADER], headers[TASK_HEADER]];
  const named = typeof task === 'string' ? { task } : {};
  if (typeof text !== 'string') return named;
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
