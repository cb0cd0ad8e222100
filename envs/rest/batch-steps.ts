import type { Hono } from 'hono';
import { stream } from 'hono/streaming';
import { z } from 'zod';
import { errorDocument } from '../../domain/http-errors.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import { checked } from '../checked.js';
import { bodyOf, type ServerEnv } from '../request.js';

const batchSchema = z
  .array(z.looseObject({ episode_id: z.string().min(1) }))
  .min(1)
  .max(10_000);

/** An action for each of many episodes; streams outcomes as JSON lines. */
export function batchSteps(
  app: Hono<ServerEnv>,
  step: (id: string, body: unknown, gone: AbortSignal) => Promise<object>,
): void {
  app.post('/v1/steps', async (c) => {
    const asked = checked(batchSchema, await bodyOf(c));
    c.header('Content-Type', 'application/x-ndjson');
    return stream(c, async (lines) => {
      const answers = asked.map(async ({ episode_id: id, ...body }) => {
        const answer = await step(id, body, c.req.raw.signal).catch((error: unknown) =>
          errorDocument(asBenchError(error)),
        );
        await lines.write(`${JSON.stringify({ episode_id: id, ...answer })}\n`);
      });
      await Promise.all(answers);
    });
  });
}
