import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import { checked } from '../checked.js';
import { json, retryHeaders, statusOf, textOf, unreadable } from '../http-errors.js';
import type { Observation } from '../openenv/frames.js';
import { EnvSession } from '../openenv/session.js';
import type { Play } from '../play.js';
import { clientOf, REQUEST_HEADER, SESSION_KEY } from '../prefixes.js';
import { openReading } from '../reading.js';
import { bodyOf, type ServerEnv } from '../request.js';
import { aggregateMetrics } from './aggregate.js';
import { readResponse, type ToolCall } from './reply.js';

const COOKIE = 'bench_nemo';

/** Keys of NeMo Gym in a row, apart from those of a reset. */
const OWN_KEYS = ['responses_create_params', 'response', 'agent_ref', 'verifier_metadata', 'dataset', 'uuid'];

const resetSchema = z.looseObject({ responses_create_params: z.looseObject({}) });
const stepSchema = z.looseObject({ response: z.looseObject({ output: z.array(z.unknown()) }) });
const aggregateSchema = z.looseObject({ verify_responses: z.array(z.record(z.string(), z.unknown())).max(1_000_000) });

/** NeMo Gym's gymnasium agent. Its session is a cookie, which each answer sets. */
export function nemoRoutes(play: Play): Hono<ServerEnv> {
  const session = (key: string, c: Context): EnvSession =>
    new EnvSession(play, { key, task: clientOf(c).task, protocol: 'nemo', softSeconds: 0 });
  const reading = openReading(play);

  const app = new Hono<ServerEnv>().onError(sendFailure);
  app.get('/nemo', (c) => json(c, { status: 'ok' }));

  app.post('/nemo/reset', async (c) => {
    const row = checked(resetSchema, (await bodyOf(c)) ?? {});
    const key = newKey(c);
    // A retry finds what the first request has begun.
    const { data } = await session(key, c).reset(resetOf(row), { first: true });
    const { observation, metadata } = data;
    return json(c, { observation: observation['message'], info: metadata }, 200, remembered(key));
  });

  app.post('/nemo/step', async (c) => {
    const { response } = checked(stepSchema, (await bodyOf(c)) ?? {});
    const key = keyOf(c);
    await reading.over(key);
    const { action, calls } = readResponse(response.output);
    const sent = { action, seq: null, policyVersion: null, tool: null };
    const context = { first: true, signal: c.req.raw.signal };
    const { data, episode, settled } = await session(key, c).step(sent, context);
    if (settled !== null) reading.leaves(key, c.env.outgoing, { runId: episode.runId, seq: settled });
    return json(c, stepOf(data, calls), 200, remembered(key));
  });

  app.post('/nemo/aggregate_metrics', async (c) =>
    json(c, aggregateMetrics(checked(aggregateSchema, (await bodyOf(c)) ?? {}).verify_responses)),
  );
  return app;
}

/** It sums rewards: unevaluated steps add nothing, and our faults are masked. */
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

const remembered = (key: string): Record<string, string> => ({
  'Set-Cookie': `${COOKIE}=${key}; Path=/; HttpOnly; SameSite=Lax`,
});

/** The front's name of the request, the same when it is resent after a server's death. */
function newKey(c: Context): string {
  const name = c.req.header(REQUEST_HEADER) ?? '';
  return SESSION_KEY.test(name) ? name : randomBytes(24).toString('base64url');
}

function keyOf(c: Context): string {
  const [, key = ''] = new RegExp(`(?:^|;\\s*)${COOKIE}="?([^;"]*)`).exec(c.req.header('cookie') ?? '') ?? [];
  if (SESSION_KEY.test(key)) return key;
  throw new BenchError('conflict', `the cookie ${COOKIE} is missing`, {
    code: 'episode.not_found',
    remedy: 'POST /nemo/reset sets it: send it with each step.',
  });
}

/** Like FastAPI. Our faults are errors, so that they yield no reward. */
function sendFailure(thrown: Error, c: Context): Response {
  const wrong = unreadable(thrown, c);
  if (wrong !== null) return wrong;
  const error = asBenchError(thrown);
  const status = error.type === 'failed' ? 503 : statusOf(error);
  const document = { detail: textOf(error), ...(status === 503 && { mask_sample: true }) };
  return json(c, document, status, retryHeaders(status, error));
}
