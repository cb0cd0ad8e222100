import type { FastifyPluginCallback } from 'fastify';
import { z } from 'zod';
import { METRICS_CONTENT_TYPE, renderMetrics } from '../../domain/metrics.js';
import { groupMetrics, policyMetrics, trainingMetrics } from '../../operations/episodes/training-metrics.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { seldom } from './seldom.js';

const asked = z.strictObject({
  per: z.enum(['policy', 'group']).default('policy'),
  after: z.coerce.number().int().optional(),
});

/**
 * `GET /metrics` for Prometheus; `GET /v1/metrics`: a line of JSON per policy version, or per
 * group.
 */
export function metricsRoutes({ bench, env: { batchId } }: ServerContext): FastifyPluginCallback {
  const text = seldom(async () => renderMetrics(await trainingMetrics(bench, batchId)));
  const lines = {
    policy: seldom(() => policyMetrics(bench, batchId)),
    group: seldom(() => groupMetrics(bench, batchId)),
  };
  return (app, _options, done) => {
    app.get('/metrics', async (_request, reply) => reply.type(METRICS_CONTENT_TYPE).send(await text()));
    app.get('/v1/metrics', async ({ query }, reply) => {
      const { per, after = -Infinity } = checked(asked, query);
      const rows: { policy_version: number | null }[] = await lines[per]();
      const wanted = rows.filter(({ policy_version: version }) => (version ?? -1) > after);
      return reply.type('application/x-ndjson').send(wanted.map((row) => `${JSON.stringify(row)}\n`).join(''));
    });
    done();
  };
}
