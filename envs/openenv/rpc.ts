import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import type { Play } from '../play.js';
import { TOOLS } from '../tools.js';
import { toolAction } from './action.js';
import { textOf } from '../http-errors.js';
import { refuseUnstorableCall } from '../storable-input.js';
import type { EnvSession, StepContext } from './session.js';

/** JSON-RPC 2.0: OpenEnv's methods for sessions, and MCP's for tools. */
export interface Rpc {
  answer(request: unknown, from: RpcCaller): Promise<RpcAnswer>;
}

interface RpcCaller extends Pick<StepContext, 'first' | 'signal'> {
  /** Null: it came over HTTP. */
  session: EnvSession | null;
}

interface RpcAnswer {
  response: object;
  /** The outcome that is read with the response. */
  settled: { runId: string; seq: number } | null;
  stepped: boolean;
}

export interface RpcSessions {
  play: Play;
  find(id: unknown): EnvSession | null;
  /** The default session, by prefix or header. */
  key: string | null;
  /** A socket plays it, and ends it. */
  endsWithSocket(id: string): boolean;
  forget(id: string): void;
  /** Resolves when it is known which answers this run's client has read. */
  read(runId: string): Promise<void>;
  counts(): Promise<{ active_sessions: number; max_sessions: number }>;
}

export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
const SERVER = -32000;
export const PARSE_ERROR = -32700;

class RpcError extends Error {
  constructor(
    readonly rpcCode: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }
}

export const requestSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  params: z.unknown().optional(),
});

/** Recognizable as ours: a session has no record before its first episode. */
export function newSessionId(): string {
  const random = randomBytes(16).toString('hex');
  return `mcp-${random}-${checkOf(random)}`;
}

export function isSessionId(id: unknown): id is string {
  const [, random, check] = typeof id === 'string' ? (/^mcp-([0-9a-f]{32})-([0-9a-f]{8})$/.exec(id) ?? []) : [];
  return random !== undefined && check === checkOf(random);
}

const checkOf = (random: string): string => createHash('sha256').update(`session ${random}`).digest('hex').slice(0, 8);

export const rpcError = (id: unknown, code: number, message: string, data?: object): object => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code, message, ...(data !== undefined && { data }) },
});

export function openRpc(sessions: RpcSessions): Rpc {
  return {
    async answer(request, from) {
      const read = requestSchema.safeParse(request);
      if (!read.success)
        return {
          response: rpcError(null, INVALID_REQUEST, 'a request is {jsonrpc: "2.0", method, params, id}'),
          ...{ settled: null, stepped: false },
        };
      const { id, method, params = {} } = read.data;
      try {
        refuseUnstorableCall(request);
        const { result, settled } = await call(sessions, method, paramsOf(params), from);
        const response = { jsonrpc: '2.0', id: id ?? null, result };
        return { response, settled: settled ?? null, stepped: settled !== undefined };
      } catch (thrown) {
        return { response: rpcFailure(id, thrown), settled: null, stepped: false };
      }
    },
  };
}

interface Called {
  result: object;
  settled?: RpcAnswer['settled'];
}

async function call(
  sessions: RpcSessions,
  method: string,
  params: Record<string, unknown>,
  from: RpcCaller,
): Promise<Called> {
  const { session: attached } = from;
  switch (method) {
    case 'openenv/session/create': {
      const { active_sessions: active, max_sessions: most } = await sessions.counts();
      if (active >= most)
        throw new RpcError(SERVER, `${active} episodes are open, and no more may be`, {
          ...{ active_sessions: active, max_sessions: most },
        });
      return { result: { session_id: sessions.key ?? newSessionId() } };
    }
    case 'openenv/session/close':
      return { result: await close(sessions, params['session_id'], attached) };
    case 'tools/list':
      if (params['session_id'] !== undefined) named(sessions, params['session_id']);
      return { result: { tools: TOOLS.map(({ input_schema: inputSchema, ...tool }) => ({ ...tool, inputSchema })) } };
    case 'tools/call':
      return callTool(sessions, params, from);
    default:
      throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
  }
}

async function callTool(
  sessions: RpcSessions,
  { name, arguments: given = {}, session_id: id }: Record<string, unknown>,
  { session: attached, ...context }: RpcCaller,
): Promise<Called> {
  const session = attached ?? named(sessions, id ?? sessions.key);
  if (typeof name !== 'string' || name === '') throw new RpcError(INVALID_PARAMS, "Missing 'name' in params");
  const sent = { action: toolAction(name, given), seq: null, policyVersion: null, tool: name };
  const before = attached === null ? await session.episode() : null;
  if (before !== null) await sessions.read(before.runId);
  const { data, episode, settled } = await session.step(sent, context);
  const { observation, reward, done, metadata } = data;
  const said = (observation['result'] as { data: string }).data;
  const result = { content: [{ type: 'text', text: said }], data: said, reward, done, metadata };
  return { result, settled: settled === null ? null : { runId: episode.runId, seq: settled } };
}

async function close(sessions: RpcSessions, id: unknown, attached: EnvSession | null): Promise<object> {
  if (id === undefined) throw new RpcError(INVALID_PARAMS, "Invalid params - 'session_id' is required");
  if (attached !== null) throw new RpcError(INVALID_REQUEST, 'a socket is closed by its `close` frame');
  const session = named(sessions, id);
  if (typeof id !== 'string') throw new RpcError(INVALID_PARAMS, 'session_id is a string');
  if (sessions.endsWithSocket(id)) return { session_id: id, closed: false, closing: true };
  const episode = await session.episode();
  if (episode !== null) await sessions.play.end(episode);
  sessions.forget(id);
  return { session_id: id, closed: true };
}

function named(sessions: RpcSessions, id: unknown): EnvSession {
  if (id === undefined || id === null)
    throw new RpcError(INVALID_PARAMS, "Invalid params - 'session_id' is required: openenv/session/create gives one");
  const session = sessions.find(id);
  if (session === null) throw new RpcError(INVALID_PARAMS, `Unknown session_id: ${JSON.stringify(id)}`);
  return session;
}

function paramsOf(params: unknown): Record<string, unknown> {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new RpcError(INVALID_PARAMS, 'Params must be an object');
  return params as Record<string, unknown>;
}

export function rpcFailure(id: unknown, thrown: unknown): object {
  if (thrown instanceof RpcError) return rpcError(id, thrown.rpcCode, thrown.message, thrown.data);
  const error = asBenchError(thrown);
  if (error.code === 'episodes.at_capacity') return rpcError(id, SERVER, textOf(error));
  const wrong = error instanceof BenchError && (error.type === 'usage' || error.type === 'not_found');
  return rpcError(id, wrong ? INVALID_PARAMS : INTERNAL, textOf(error));
}
