import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { goneOf } from '../gone.js';
import { sayWhetherAgain, statusOf, textOf } from '../http-errors.js';
import type { Play } from '../play.js';
import { SESSION_HEADER, SESSION_KEY, TASK_HEADER } from '../prefixes.js';
import { openReading } from '../reading.js';
import { refuseUnstorable } from '../storable-input.js';
import { problemsOf } from '../task-api.js';
import { sentStep } from './action.js';
import { metadata, openApi, schemas } from './documents.js';
import { PARSE_ERROR, rpcError } from './rpc.js';
import { type Answered, EnvSession } from './session.js';
import { openSockets } from './sockets.js';

const resetBody = z.looseObject({ episode_id: z.string().min(1).max(255).nullish() });
const stepBody = z.looseObject({
  action: z.record(z.string(), z.unknown()),
  episode_id: z.string().min(1).max(255).nullish(),
  timeout_s: z.number().min(0).nullish(),
});
const stateQuery = z.looseObject({ episode_id: z.string().min(1).max(255).optional() });

/** OpenEnv, over `/ws` and over HTTP. */
export function openEnvRoutes(context: ServerContext, play: Play): FastifyPluginCallback {
  const reading = openReading(play);
  const sockets = openSockets(context, play, reading);
  const session = (request: FastifyRequest): EnvSession =>
    new EnvSession(play, { key: keyOf(request), task: taskOf(request) });
  /** The session that a request names by its key or the id of its episode. */
  const attached = async (request: FastifyRequest, id: string | null | undefined): Promise<EnvSession> => {
    const named = session(request);
    if (id !== null && id !== undefined) await named.attach(id);
    else if (!named.keyed) throw unnamed();
    return named;
  };
  const send = (reply: FastifyReply, { data, episode, settled }: Answered): FastifyReply => {
    if (settled !== null) reading.leaves(episode.runId, reply, { runId: episode.runId, seq: settled });
    return reply.send(data);
  };

  return (app, _options, done) => {
    sockets.listen(app.server);
    app.addHook('preClose', (closed) => {
      sockets.close();
      closed();
    });
    app.setErrorHandler((thrown, _request, reply) => sendDetail(reply, thrown));
    // As text: JSON-RPC answers for itself what is no JSON.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, parsed) => parsed(null, text));

    app.get('/metadata', () => metadata(context.env));
    app.get('/schema', () => schemas);
    app.get('/openapi.json', openApi);

    app.post('/reset', async (request, reply) => {
      const body = read(resetBody, request.body);
      const named = session(request);
      if (!named.keyed && typeof body.episode_id !== 'string') throw unnamed();
      return send(reply, await named.reset(body, { first: true }));
    });
    app.post('/step', async (request, reply) => {
      const { action, episode_id: id, timeout_s: seconds } = read(stepBody, request.body);
      const named = await attached(request, id);
      return send(
        reply,
        await named.step(sentStep(action), { first: false, numbers: 'trusted', seconds: seconds ?? null }),
      );
    });
    app.get('/state', async (request) => {
      const { episode_id: id } = checked(stateQuery, request.query);
      return (await attached(request, id)).state();
    });
    app.post('/mcp', async (request, reply) => {
      let sent: unknown;
      try {
        sent = JSON.parse(typeof request.body === 'string' ? request.body : '');
      } catch {
        return rpcError(null, PARSE_ERROR, 'Parse error');
      }
      const from = { session: null, first: 'request', signal: goneOf(reply) } as const;
      const { response, settled } = await sockets.rpc(keyOf(request), taskOf(request)).answer(sent, from);
      if (settled !== null) reading.leaves(settled.runId, reply, settled);
      return reply.send(response);
    });
    done();
  };
}

function keyOf({ headers }: FastifyRequest): string | null {
  const key = headers[SESSION_HEADER];
  if (key === undefined) return null;
  if (typeof key === 'string' && SESSION_KEY.test(key)) return key;
  throw new BenchError('usage', 'the session key is 16 to 64 letters, digits, - and _');
}

function taskOf({ headers }: FastifyRequest): string | null {
  const task = headers[TASK_HEADER];
  return typeof task === 'string' ? task : null;
}

class Unprocessable extends Error {
  constructor(readonly detail: unknown) {
    super('unprocessable');
  }
}

function read<Schema extends z.ZodType>(schema: Schema, text: unknown): z.output<Schema> {
  let body: unknown;
  try {
    body = typeof text !== 'string' || text === '' ? {} : JSON.parse(text);
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

/** As FastAPI says it. */
function sendDetail(reply: FastifyReply, thrown: unknown): FastifyReply {
  if (thrown instanceof Unprocessable) return reply.code(422).send({ detail: thrown.detail });
  const error = asBenchError(thrown);
  const status = statusOf(error);
  const detail = status === 422 ? [{ loc: ['body'], msg: textOf(error), type: 'value_error' }] : textOf(error);
  sayWhetherAgain(reply, status, error);
  return reply.code(status).send({ detail });
}
