import { randomBytes } from 'node:crypto';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import { checked } from '../checked.js';
import { goneOf } from '../gone.js';
import { sayWhetherAgain, statusOf, textOf } from '../http-errors.js';
import type { Observation } from '../openenv/frames.js';
import { EnvSession } from '../openenv/session.js';
import type { Play } from '../play.js';
import { REQUEST_HEADER, SESSION_KEY, TASK_HEADER } from '../prefixes.js';
import { openReading } from '../reading.js';
import { aggregateMetrics } from './aggregate.js';
import { readResponse, type ToolCall } from './reply.js';

const COOKIE = 'bench_nemo';

/** What a row holds beside the keys of a reset: NeMo Gym's own. */
const OWN_KEYS = ['responses_create_params', 'response', 'agent_ref', 'verifier_metadata', 'dataset', 'uuid'];

const resetSchema = z.looseObject({ responses_create_params: z.looseObject({}) });
const stepSchema = z.looseObject({ response: z.looseObject({ output: z.array(z.unknown()) }) });
const aggregateSchema = z.looseObject({ verify_responses: z.array(z.record(z.string(), z.unknown())).max(1_000_000) });

/** NeMo Gym's gymnasium agent, under /nemo. Its session is a cookie, and each answer sets it. */
export function nemoRoutes(play: Play): FastifyPluginCallback {
  const session = (key: string, request: FastifyRequest): EnvSession =>
    new EnvSession(play, { key, task: taskOf(request), protocol: 'nemo', softSeconds: 0 });

  const reading = openReading(play);

  return (app, _options, done) => {
    app.setErrorHandler((thrown, _request, reply) => sendFailure(reply, thrown));
    app.get('/nemo', () => ({ status: 'ok' }));

    app.post('/nemo/reset', async (request, reply) => {
      const row = checked(resetSchema, request.body ?? {});
      const key = newKey(request);
      // A second try finds what the first has begun.
      const { data } = await session(key, request).reset(resetOf(row), { first: true });
      const { observation, metadata } = data;
      return remembered(reply, key).send({ observation: observation['message'], info: metadata });
    });

    app.post('/nemo/step', async (request, reply) => {
      const { response } = checked(stepSchema, request.body ?? {});
      const key = keyOf(request);
      await reading.over(key);
      const { action, calls } = readResponse(response.output);
      const sent = { action, seq: null, policyVersion: null, tool: null };
      const context = { first: true, signal: goneOf(reply) };
      const { data, episode, settled } = await session(key, request).step(sent, context);
      if (settled !== null) reading.leaves(key, reply, { runId: episode.runId, seq: settled });
      return remembered(reply, key).send(stepOf(data, calls));
    });

    app.post('/nemo/aggregate_metrics', ({ body }) => {
      return aggregateMetrics(checked(aggregateSchema, body ?? {}).verify_responses);
    });
    done();
  };
}

/** Its rewards are numbers, which it adds up: nothing evaluated adds nothing, and what failed by our fault is masked. */
function stepOf({ observation, reward, done, metadata }: Observation, calls: readonly ToolCall[]): object {
  const message = observation['message'];
  const masked = metadata['status'] === 'errored';
  const outputs = calls.map(({ call_id: id }, nth) => ({
    call_id: id,
    output: nth === 0 ? message : 'Not executed: one call at a time.',
  }));
  return {
    observation: outputs.length > 0 ? null : message,
    reward: reward ?? 0,
    terminated: metadata['terminated'] === true,
    truncated: done && metadata['terminated'] !== true,
    info: { ...metadata, evaluated: reward !== null, mask_sample: masked, tool_outputs: outputs },
  };
}

const resetOf = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !OWN_KEYS.includes(key) && !key.startsWith('_')));

const remembered = (reply: FastifyReply, key: string): FastifyReply =>
  reply.header('Set-Cookie', `${COOKIE}=${key}; Path=/; HttpOnly; SameSite=Lax`);

/** The front's name of the request, which is the same for a protocol after the one that died of it. */
function newKey({ headers: { [REQUEST_HEADER]: name } }: FastifyRequest): string {
  return typeof name === 'string' && SESSION_KEY.test(name) ? name : randomBytes(24).toString('base64url');
}

function keyOf({ headers }: FastifyRequest): string {
  const [, key = ''] = new RegExp(`(?:^|;\\s*)${COOKIE}="?([^;"]*)`).exec(headers.cookie ?? '') ?? [];
  if (SESSION_KEY.test(key)) return key;
  throw new BenchError('conflict', `the cookie ${COOKIE} is missing`, {
    code: 'episode.not_found',
    remedy: 'POST /nemo/reset sets it: send it with each step.',
  });
}

function taskOf({ headers }: FastifyRequest): string | null {
  const task = headers[TASK_HEADER];
  return typeof task === 'string' ? task : null;
}

/** As FastAPI says it. A fault of ours is no answer, so that no reward comes of it. */
function sendFailure(reply: FastifyReply, thrown: unknown): FastifyReply {
  const { statusCode } = thrown as { statusCode?: number };
  if (!(thrown instanceof BenchError) && statusCode !== undefined && statusCode < 500)
    return reply.code(statusCode).send({ detail: (thrown as Error).message });
  const error = asBenchError(thrown);
  const status = error.type === 'failed' ? 503 : statusOf(error);
  sayWhetherAgain(reply, status, error);
  return reply.code(status).send({ detail: textOf(error), ...(status === 503 && { mask_sample: true }) });
}
