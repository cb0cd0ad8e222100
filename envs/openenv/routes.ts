import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { json, retryHeaders, statusOf, textOf } from '../http-errors.js';
import type { Play } from '../play.js';
import { clientOf, SESSION_KEY } from '../prefixes.js';
import type { Reading } from '../reading.js';
import { queryOf, type Request, type ServerEnv } from '../request.js';
import { refuseUnstorable } from '../storable-input.js';
import { problemsOf } from '../task-api.js';
import { sentStep } from './action.js';
import { metadata, openApi, schemas } from './documents.js';
import { PARSE_ERROR, rpcError } from './rpc.js';
import { type Answered, EnvSession } from './session.js';
import type { Sockets } from './sockets.js';

const resetBody = z.looseObject({ episode_id: z.string().min(1).max(255).nullish() });
const stepBody = z.looseObject({
  action: z.record(z.string(), z.unknown()),
  episode_id: z.string().min(1).max(255).nullish(),
  timeout_s: z.number().min(0).nullish(),
});
const stateQuery = z.looseObject({ episode_id: z.string().min(1).max(255).optional() });

/** OpenEnv over HTTP; `sockets` serves `/ws`. */
export function openEnvRoutes(
  context: ServerContext,
  play: Play,
  { reading, sockets }: { reading: Reading; sockets: Sockets },
): Hono<ServerEnv> {
  const session = (c: Context): EnvSession => new EnvSession(play, { key: keyOf(c), task: clientOf(c).task });
  /** By the request's session key, or the episode's id. */
  const attached = async (c: Context, id: string | null | undefined): Promise<EnvSession> => {
    const named = session(c);
    if (id !== null && id !== undefined) await named.attach(id);
    else if (!named.keyed) throw unnamed();
    return named;
  };
  const send = (c: Request, { data, episode, settled }: Answered): Response => {
    if (settled !== null) reading.leaves(episode.runId, c.env.outgoing, { runId: episode.runId, seq: settled });
    return json(c, data);
  };

  const app = new Hono<ServerEnv>().onError(sendDetail);
  app.get('/metadata', (c) => json(c, metadata(context.env)));
  app.get('/schema', (c) => json(c, schemas));
  app.get('/openapi.json', (c) => json(c, openApi()));

  app.post('/reset', async (c) => {
    const body = read(resetBody, await c.req.text());
    const named = session(c);
    if (!named.keyed && typeof body.episode_id !== 'string') throw unnamed();
    return send(c, await named.reset(body, { first: true }));
  });
  app.post('/step', async (c) => {
    const { action, episode_id: id, timeout_s: seconds } = read(stepBody, await c.req.text());
    const named = await attached(c, id);
    const answered = named.step(sentStep(action), { first: false, numbers: 'trusted', seconds: seconds ?? null });
    return send(c, await answered);
  });
  app.get('/state', async (c) => {
    const { episode_id: id } = checked(stateQuery, queryOf(c));
    return json(c, await (await attached(c, id)).state());
  });
  app.post('/mcp', async (c) => {
    let sent: unknown;
    try {
      sent = JSON.parse(await c.req.text());
    } catch {
      return json(c, rpcError(null, PARSE_ERROR, 'Parse error'));
    }
    const from = { session: null, first: 'request', signal: c.req.raw.signal } as const;
    const { response, settled } = await sockets.rpc(keyOf(c), clientOf(c).task).answer(sent, from);
    if (settled !== null) reading.leaves(settled.runId, c.env.outgoing, settled);
    return json(c, response);
  });
  return app;
}

function keyOf(c: Context): string | null {
  const { session } = clientOf(c);
  if (session === undefined) return null;
  if (SESSION_KEY.test(session)) return session;
  throw new BenchError('usage', 'the session key is 16 to 64 letters, digits, - and _');
}

class Unprocessable extends Error {
  constructor(readonly detail: unknown) {
    super('unprocessable');
  }
}

function read<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  let body: unknown;
  try {
    body = text === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw new Unprocessable([{ loc: ['body'], msg: (error as Error).message, type: 'json_invalid' }]);
  }
  refuseUnstorable(body, ['action']);
  const result = schema.safeParse(body);
  if (!result.success) throw new Unprocessable(problemsOf(result.error));
  return result.data;
}

const unnamed = (): BenchError =>
  new BenchError('conflict', 'a request says which episode it means', {
    remedy: 'Send episode_id, or a session key (/s/<key> or X-Bench-Session).',
  });

function sendDetail(thrown: Error, c: Context): Response {
  if (thrown instanceof Unprocessable) return json(c, { detail: thrown.detail }, 422);
  const error = asBenchError(thrown);
  const status = statusOf(error);
  const detail = status === 422 ? [{ loc: ['body'], msg: textOf(error), type: 'value_error' }] : textOf(error);
  return json(c, { detail }, status, retryHeaders(status, error));
}
