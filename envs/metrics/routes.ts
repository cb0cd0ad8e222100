import { Hono } from 'hono';
import { z } from 'zod';
import { METRICS_CONTENT_TYPE, renderMetrics } from '../../domain/metrics/prometheus.js';
import { groupMetrics, policyMetrics, trainingMetrics } from '../../operations/episodes/training-metrics.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { queryOf, type ServerEnv } from '../request.js';
import { seldom } from './seldom.js';

const asked = z.strictObject({
  per: z.enum(['policy', 'group']).default('policy'),
  after: z.coerce.number().int().optional(),
});

/** `GET /metrics` for Prometheus; `GET /v1/metrics`: a line of JSON per policy version or group. */
export function metricsRoutes({ bench, env: { batchId } }: ServerContext): Hono<ServerEnv> {
  const text = seldom(async () => renderMetrics(await trainingMetrics(bench, batchId)));
  const lines = {
    policy: seldom(() => policyMetrics(bench, batchId)),
    group: seldom(() => groupMetrics(bench, batchId)),
  };
  const app = new Hono<ServerEnv>();
  app.get('/metrics', async (c) => c.body(await text(), 200, { 'Content-Type': METRICS_CONTENT_TYPE }));
  app.get('/v1/metrics', async (c) => {
    const { per, after = -Infinity } = checked(asked, queryOf(c));
    const rows: { policy_version: number | null }[] = await lines[per]();
    const wanted = rows.filter(({ policy_version: version }) => (version ?? -1) > after);
    const body = wanted.map((row) => `${JSON.stringify(row)}\n`).join('');
    return c.body(body, 200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
  });
  return app;
}
