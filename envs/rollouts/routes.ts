import { Hono } from 'hono';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { newRolloutId } from '../../domain/ids.js';
import type { RolloutRow } from '../../domain/ports/rollouts.js';
import { rolloutSchema } from '../../domain/requests/rollout.js';
import { cancelRun } from '../../operations/batches/cancel-run.js';
import { acknowledgeRollouts } from '../../operations/rollouts/acknowledge.js';
import { beginRollouts } from '../../operations/rollouts/begin.js';
import { endedRollouts } from '../../operations/rollouts/collect.js';
import { findRollout } from '../../operations/rollouts/find-rollout.js';
import { rolloutResult } from '../../operations/rollouts/result.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { json } from '../http-errors.js';
import { bodyOf, queryOf, type ServerEnv } from '../request.js';
import { rideOut } from '../ride-out.js';
import { refuseRollouts } from './refuse-rollouts.js';
import { endedBefore } from './ended-before.js';
import { wireRollout } from './wire.js';

/** In seconds; a client retries. */
const MOST_WAIT = 50;

const inSeconds = (seconds: number): number => Date.now() + seconds * 1000;
const waitSeconds = z.coerce.number().min(0).max(MOST_WAIT);
const label = z
  .string()
  .regex(/^[^=]{1,100}=/, 'must be <name>=<value>')
  .transform((text): [string, string] => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]);
const listSchema = z.strictObject({
  label: z.union([label.transform((one) => [one]), z.array(label)]).default([]),
  group: z.string().min(1).optional(),
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(256).default(32),
  wait_s: waitSeconds.default(MOST_WAIT),
});
const ackSchema = z.strictObject({ ids: z.array(z.string().min(1)).min(1).max(10_000) });

export function rolloutRoutes({ bench, env, progress, token }: ServerContext): Hono<ServerEnv> {
  const { batchId } = env;
  const known = async (id: string): Promise<RolloutRow> => {
    const row = await rideOut(() => findRollout(bench, id));
    if (row === null)
      throw new BenchError('not_found', `no rollout ${id}`, {
        code: 'rollout.not_found',
        remedy: 'POST /v1/rollouts begins one.',
      });
    return row;
  };
  const wire = async (row: RolloutRow) => wireRollout(await rideOut(() => rolloutResult(bench, row)));
  const acknowledge = (ids: readonly string[]): Promise<string[]> =>
    rideOut(() => acknowledgeRollouts(bench, batchId, ids));

  const app = new Hono<ServerEnv>();
  app.use('/v1/rollouts/*', (_c, next) => {
    refuseRollouts(token);
    return next();
  });

  app.post('/v1/rollouts', async (c) => {
    const request = checked(rolloutSchema, (await bodyOf(c)) ?? {});
    // Fixed ids, so that a retry begins nothing twice.
    const once = { ...request, rollout_id: request.rollout_id ?? newRolloutId() };
    const begun = await rideOut(() => beginRollouts(bench, env, once));
    return json(c, { ids: begun.map(({ rolloutId }) => rolloutId) }, 202);
  });

  app.get('/v1/rollouts', async (c) => {
    const { label: labels, group = null, after, limit, wait_s: seconds } = checked(listSchema, queryOf(c));
    const wait = { until: inSeconds(seconds), signal: c.req.raw.signal };
    const rows = await rideOut(() => endedRollouts(bench, progress, { batchId, after, labels, group, limit }, wait));
    return json(c, { rollouts: await Promise.all(rows.map(wire)), after: rows.at(-1)?.endSequence ?? after });
  });

  app.get('/v1/rollouts/:id', async (c) => {
    const row = await known(c.req.param('id'));
    const until = inSeconds(checked(waitSeconds, c.req.query('wait_s') ?? 0));
    const ended = await endedBefore(bench, progress, row.runId, { until, signal: c.req.raw.signal });
    return json(c, await wire(ended ?? (await known(row.runId))));
  });

  app.post('/v1/rollouts/ack', async (c) => {
    const { ids } = checked(ackSchema, await bodyOf(c));
    return json(c, { acknowledged: await acknowledge(ids) });
  });

  app.delete('/v1/rollouts/:id', async (c) => {
    const row = await known(c.req.param('id'));
    if (!row.ended) {
      await rideOut(() => cancelRun(bench, row));
      await endedBefore(bench, progress, row.runId, { until: inSeconds(MOST_WAIT), signal: c.req.raw.signal });
    }
    return json(c, { acknowledged: await acknowledge([row.rolloutId]) });
  });
  return app;
}
