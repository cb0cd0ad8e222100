import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { asBenchError } from '../../operations/as-bench-error.js';
import { goneOf } from '../gone.js';
import { errorBody } from '../http-errors.js';
import { checked } from '../checked.js';

const batchSchema = z
  .array(z.looseObject({ episode_id: z.string().min(1) }))
  .min(1)
  .max(10_000);

/** `POST /v1/steps`: an action for each of many episodes; outcomes come as JSON lines, each as soon as it is known. */
export function batchSteps(
  app: FastifyInstance,
  step: (id: string, body: unknown, gone: AbortSignal) => Promise<object>,
): void {
  app.post('/v1/steps', (request, reply) => {
    const asked = checked(batchSchema, request.body);
    const lines = new PassThrough();
    const gone = goneOf(reply);
    const answers = asked.map(async ({ episode_id: id, ...body }) => {
      const answer = await step(id, body, gone).catch((error: unknown) => errorBody(asBenchError(error)));
      lines.write(`${JSON.stringify({ episode_id: id, ...answer })}\n`);
    });
    void Promise.all(answers).finally(() => lines.end());
    return reply.type('application/x-ndjson').send(lines);
  });
}
