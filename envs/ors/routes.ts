import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { BenchError } from '../../domain/errors.js';
import { asBenchError, isOutage } from '../../operations/as-bench-error.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { textOf } from '../http-errors.js';
import type { Play } from '../play.js';
import { ENVIRONMENT } from '../task-api.js';
import { type Answer, EpisodeFault, playAction, playControl } from './call.js';
import { sendDetail, StatusError } from './errors.js';
import { EventStream } from './event-stream.js';
import { textBlock } from './result.js';
import { newSessionId, openSessions } from './session.js';
import { chunksOf } from './sse.js';
import { callSchema, readCall, toolList } from './tools.js';

type InEnvironment = FastifyRequest<{ Params: { env?: string } }>;

/** ORS, over HTTP and server-sent events. Its paths are bare, or under the environment's name. */
export function orsRoutes({ env }: ServerContext, play: Play): FastifyPluginCallback {
  const sessions = openSessions(play, env.options.reward);

  const call = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { name, input, task_id: taskId } = checked(callSchema, request.body);
    const asked = numberIn(taskId ?? null);
    const episode = await sessions.played(sessionIn(request));
    const read = readCall(name, input);
    const stream = new EventStream(reply);
    const { signal } = stream;
    const announce = (seq: number): Promise<void> => stream.send('task_id', String(seq));
    const context = { play, episode, signal, announce };
    const answer = async (): Promise<Answer> => {
      if (read.kind === 'wrong') return { result: read.result, read: [] };
      if (read.kind === 'control') return playControl(context, read.command);
      return playAction(context, read.action, asked);
    };
    await answer()
      .then((given) => give(stream, episode.runId, given))
      .catch((error: unknown) => fail(stream, error));
    return reply;
  };

  const give = async (stream: EventStream, runId: string, { result, read }: Answer): Promise<void> => {
    const chunks = chunksOf(result);
    const last = chunks.pop() ?? '';
    for (const chunk of chunks) await stream.send('chunk', chunk);
    if (stream.signal.aborted) return;
    // Before the last event, so that an equal call after it is a new one: whoever lost it has a number to ask with.
    for (const seq of read) await play.delivered(runId, seq);
    stream.end('end', last);
  };

  return (app, _options, done) => {
    app.setErrorHandler((error, _request, reply) => sendDetail(reply, error));
    // As text: clients send bodies without content under any type.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, parsed) => parseBody(String(text), parsed));

    app.get('/version', () => ({ version: env.harnessVersion, build_sha: null }));
    app.post('/create_session', (request, reply) => {
      refuseOverrides(request.body);
      const stream = new EventStream(reply);
      void stream.send('task_id', newSessionId()).then(() => stream.end('end', ''));
      return reply;
    });
    app.post('/create', async (request) => {
      const sid = sessionIn(request);
      const { env_name: name } = (request.body ?? {}) as { env_name?: unknown };
      if (typeof name === 'string') wantEnvironment(name);
      await sessions.create(sid, request.body);
      return { sid };
    });
    app.post('/ping', async (request) => {
      await sessions.played(sessionIn(request));
      return { status: 'ok' };
    });
    for (const route of ['/delete', '/delete_session'])
      app.post(route, async (request) => {
        const sid = sessionIn(request);
        const episode = await sessions.find(sid);
        if (episode !== null) await play.end(episode);
        return { sid };
      });

    for (const prefix of ['', '/:env']) {
      const named = (request: InEnvironment): void => wantEnvironment(request.params.env ?? ENVIRONMENT);
      app.get(`${prefix}/tools`, (request: InEnvironment) => {
        named(request);
        return toolList;
      });
      app.get(`${prefix}/task_tools`, async (request: InEnvironment) => {
        named(request);
        await sessions.played(sessionIn(request));
        return toolList;
      });
      app.get(`${prefix}/prompt`, async (request: InEnvironment) => {
        named(request);
        const { message } = await play.beginning(await sessions.played(sessionIn(request)));
        return [textBlock(message)];
      });
      app.post(`${prefix}/call`, async (request: InEnvironment, reply) => {
        named(request);
        return call(request, reply);
      });
    }
    done();
  };
}

/** Faults of ours are errors, after which clients give the session up; services that are away break the stream, and the client asks again. */
function fail(stream: EventStream, thrown: unknown): void {
  if (stream.signal.aborted || isOutage(thrown)) stream.cut();
  else stream.end('error', thrown instanceof EpisodeFault ? thrown.message : textOf(asBenchError(thrown)));
}

function sessionIn({ headers }: FastifyRequest): string {
  const sid = String(headers['x-session-id'] ?? '').trim();
  if (sid === '') throw new StatusError(400, 'the header X-Session-ID is missing', 'POST /create_session gives one.');
  return sid;
}

function numberIn(taskId: string | null): number | null {
  if (taskId === null) return null;
  if (/^[1-9]\d{0,8}$/.test(taskId)) return Number(taskId);
  throw new StatusError(404, `unknown task_id ${JSON.stringify(taskId)}`, 'Leave it out to make a new call.');
}

function wantEnvironment(name: string): void {
  if (name.toLowerCase() !== ENVIRONMENT)
    throw new StatusError(404, `unknown environment ${JSON.stringify(name)}`, `There is one: ${ENVIRONMENT}.`);
}

function refuseOverrides(body: unknown): void {
  const { env } = (body ?? {}) as { env?: unknown };
  if (env !== undefined && env !== null)
    throw new BenchError('usage', 'env: variables of the environment cannot be set', { remedy: 'Leave it out.' });
}

function parseBody(text: string, parsed: (error: Error | null, body?: unknown) => void): void {
  if (text === '') return parsed(null, undefined);
  try {
    parsed(null, JSON.parse(text));
  } catch (error) {
    parsed(new StatusError(400, `the body is no JSON: ${(error as Error).message}`, 'Send a JSON object.'));
  }
}
