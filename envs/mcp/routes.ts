// By hand: the SDK's server keeps sessions and pending calls in its process, and its event store
// cannot continue a call. Here a session is a row, and a call is taken once, by number: the next
// server answers both, and clients resume by `Last-Event-ID`.
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import type { ServerContext } from '../context.js';
import { json } from '../http-errors.js';
import { INVALID_REQUEST, PARSE_ERROR, requestSchema, rpcError } from '../openenv/rpc.js';
import { newSessionId, openSessions } from '../ors/session.js';
import type { Play } from '../play.js';
import type { ServerEnv } from '../request.js';
import { refuseUnstorableCall } from '../storable-input.js';
import { TOOLS } from '../tools.js';
import { refuse, UnknownMethod } from './errors.js';
import { type McpServer, refuseEnded, sessionIn, shown } from './session.js';
import { playCall } from './tool-call.js';

/** Newest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];

const callSchema = z.looseObject({ name: z.string(), arguments: z.unknown().optional() });
const promptSchema = z.looseObject({ name: z.string() });
const helloSchema = z.looseObject({ protocolVersion: z.string().optional() });

const PROMPT = { name: 'task', description: 'The task, as the policy is to see it first' };

/** MCP over streamable HTTP. A session is one episode, which its first call begins. */
export function mcpRoutes({ bench, env }: ServerContext, play: Play): Hono<ServerEnv> {
  const sessions = openSessions(play, env.options.reward, 'mcp');
  const server: McpServer = { bench, env, play, sessions };
  const app = new Hono<ServerEnv>().onError((thrown, c) => refuse(c, null, thrown));

  app.post('/v1/mcp', async (c) => {
    let sent: unknown;
    try {
      sent = JSON.parse(await c.req.text());
    } catch (error) {
      return json(c, rpcError(null, PARSE_ERROR, `the body is no JSON: ${(error as Error).message}`), 400);
    }
    const read = requestSchema.safeParse(sent);
    if (!read.success)
      return json(c, rpcError(null, INVALID_REQUEST, 'a request is one {jsonrpc: "2.0", method, params, id}'), 400);
    const { id, method, params = {} } = read.data;
    // Nothing here depends on notifications.
    if (id === undefined) return c.body(null, 202, { 'Content-Length': '0' });
    try {
      refuseUnstorableCall(sent);
      if (method === 'initialize') return await hello(server, c, { id, params });
      if (method !== 'tools/call')
        return json(c, { jsonrpc: '2.0', id, result: await answer(server, c, method, params) });
      const { name, arguments: input } = callSchema.parse(params);
      return await playCall(server, c, { id, name, input, asked: null });
    } catch (thrown) {
      return refuse(c, id, thrown);
    }
  });

  // Resumes broken streams; there are no others.
  app.get('/v1/mcp', async (c) => {
    const again = /^([1-9]\d{0,8})\.([A-Za-z0-9_-]+)$/.exec(c.req.header('last-event-id') ?? '');
    const episode = again === null ? null : await sessions.find(sessionIn(c));
    const seq = Number(again?.[1]);
    const taken = episode === null ? null : await play.taken(episode.runId, seq);
    if (again === null || taken === null || !('command' in taken.action))
      return c.body(null, 405, { Allow: 'POST, DELETE', 'Content-Length': '0' });
    const id: unknown = JSON.parse(Buffer.from(again[2] ?? '', 'base64url').toString());
    const { command } = taken.action;
    const named =
      command === 'validate' || command === 'submit' ? { name: command } : { name: 'run', input: { command } };
    return playCall(server, c, { id, input: undefined, ...named, asked: seq });
  });

  app.delete('/v1/mcp', async (c) => {
    const episode = await sessions.find(sessionIn(c));
    if (episode !== null) await play.end(episode);
    return c.body(null, 204);
  });
  return app;
}

async function hello(
  server: McpServer,
  c: Context,
  { id, params }: { id: unknown; params: unknown },
): Promise<Response> {
  const { protocolVersion: asked = '' } = helloSchema.parse(params);
  const sid = newSessionId();
  const result = {
    protocolVersion: VERSIONS.includes(asked) ? asked : VERSIONS[0],
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: 'bench', version: server.env.harnessVersion },
    instructions: await shown(server, sid, c),
  };
  return json(c, { jsonrpc: '2.0', id, result }, 200, { 'Mcp-Session-Id': sid });
}

async function answer(server: McpServer, c: Context, method: string, params: unknown): Promise<object> {
  const sid = sessionIn(c);
  await refuseEnded(server, sid);
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
      return { messages: [{ role: 'user', content: { type: 'text', text: await shown(server, sid, c) } }] };
    }
    default:
      throw new UnknownMethod(method);
  }
}
