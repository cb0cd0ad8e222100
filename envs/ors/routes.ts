import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { BenchError } from '../../domain/errors.js';
import { asBenchError, isOutage } from '../../operations/as-bench-error.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { json, textOf } from '../http-errors.js';
import type { Play } from '../play.js';
import { readJson, type Request, type ServerEnv } from '../request.js';
import { ENVIRONMENT } from '../task-api.js';
import { type Answer, EpisodeFault, playAction, playControl } from './call.js';
import { sendDetail, StatusError } from './errors.js';
import { EventStream } from './event-stream.js';
import { textBlock } from './result.js';
import { newSessionId, openSessions, type Sessions } from './session.js';
import { chunksOf } from './sse.js';
import { callSchema, readCall, toolList } from './tools.js';

/** ORS over HTTP and SSE. Its paths are bare, or under the environment's name. */
export function orsRoutes({ env }: ServerContext, play: Play): Hono<ServerEnv> {
  const sessions = openSessions(play, env.options.reward);
  const app = new Hono<ServerEnv>().onError(sendDetail);

  app.get('/version', (c) => json(c, { version: env.harnessVersion, build_sha: null }));
  app.post('/create_session', async (c) => {
    refuseOverrides(await sentIn(c));
    const stream = new EventStream(c.env.outgoing);
    void stream.send('task_id', newSessionId()).then(() => stream.end('end', ''));
    return RESPONSE_ALREADY_SENT;
  });
  app.post('/create', async (c) => {
    const body = await sentIn(c);
    const sid = sessionIn(c);
    const { env_name: name } = (body ?? {}) as { env_name?: unknown };
    if (typeof name === 'string') wantEnvironment(name);
    await sessions.create(sid, body);
    return json(c, { sid });
  });
  app.post('/ping', async (c) => {
    await sessions.played(sessionIn(c));
    return json(c, { status: 'ok' });
  });
  for (const route of ['/delete', '/delete_session'])
    app.post(route, async (c) => {
      const sid = sessionIn(c);
      const episode = await sessions.find(sid);
      if (episode !== null) await play.end(episode);
      return json(c, { sid });
    });

  for (const prefix of ['', '/:env']) {
    app.get(`${prefix}/tools`, (c) => {
      wantEnvironment(c.req.param('env'));
      return json(c, toolList);
    });
    app.get(`${prefix}/task_tools`, async (c) => {
      wantEnvironment(c.req.param('env'));
      await sessions.played(sessionIn(c));
      return json(c, toolList);
    });
    app.get(`${prefix}/prompt`, async (c) => {
      wantEnvironment(c.req.param('env'));
      const { message } = await play.beginning(await sessions.played(sessionIn(c)));
      return json(c, [textBlock(message)]);
    });
    app.post(`${prefix}/call`, async (c) => {
      const body = await sentIn(c);
      wantEnvironment(c.req.param('env'));
      return call(c, body, { play, sessions });
    });
  }
  return app;
}

async function call(
  c: Request,
  body: unknown,
  { play, sessions }: { play: Play; sessions: Sessions },
): Promise<Response> {
  const { name, input, task_id: taskId } = checked(callSchema, body);
  const asked = numberIn(taskId ?? null);
  const episode = await sessions.played(sessionIn(c));
  const read = readCall(name, input);
  const stream = new EventStream(c.env.outgoing);
  const { signal } = stream;
  const announce = (seq: number): Promise<void> => stream.send('task_id', String(seq));
  const context = { play, episode, signal, announce };
  const answer = async (): Promise<Answer> => {
    if (read.kind === 'wrong') return { result: read.result, read: [] };
    if (read.kind === 'control') return playControl(context, read.command);
    return playAction(context, read.action, asked);
  };
  await answer()
    .then((given) => give(stream, given, (seq) => play.delivered(episode.runId, seq)))
    .catch((error: unknown) => fail(stream, error));
  return RESPONSE_ALREADY_SENT;
}

async function give(
  stream: EventStream,
  { result, read }: Answer,
  delivered: (seq: number) => Promise<void>,
): Promise<void> {
  const chunks = chunksOf(result);
  const last = chunks.pop() ?? '';
  for (const chunk of chunks) await stream.send('chunk', chunk);
  if (stream.signal.aborted) return;
  // Before the last event, so that an equal later call is a new one; a lost one resumes by number.
  for (const seq of read) await delivered(seq);
  stream.end('end', last);
}

/** Our faults end the client's session; for services that are away, break the stream. */
function fail(stream: EventStream, thrown: unknown): void {
  if (stream.signal.aborted || isOutage(thrown)) stream.cut();
  else stream.end('error', thrown instanceof EpisodeFault ? thrown.message : textOf(asBenchError(thrown)));
}

function sessionIn(c: Context): string {
  const sid = (c.req.header('x-session-id') ?? '').trim();
  if (sid === '') throw new StatusError(400, 'the header X-Session-ID is missing', 'POST /create_session gives one.');
  return sid;
}

function numberIn(taskId: string | null): number | null {
  if (taskId === null) return null;
  if (/^[1-9]\d{0,8}$/.test(taskId)) return Number(taskId);
  throw new StatusError(404, `unknown task_id ${JSON.stringify(taskId)}`, 'Leave it out to make a new call.');
}

function wantEnvironment(name: string = ENVIRONMENT): void {
  if (name.toLowerCase() !== ENVIRONMENT)
    throw new StatusError(404, `unknown environment ${JSON.stringify(name)}`, `There is one: ${ENVIRONMENT}.`);
}

function refuseOverrides(body: unknown): void {
  const { env } = (body ?? {}) as { env?: unknown };
  if (env !== undefined && env !== null)
    throw new BenchError('usage', 'env: variables of the environment cannot be set', { remedy: 'Leave it out.' });
}

/** Clients send empty bodies under any type. */
async function sentIn(c: Context): Promise<unknown> {
  const text = await c.req.text();
  return text === '' ? undefined : readJson(text);
}
