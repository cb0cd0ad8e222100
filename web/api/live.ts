import { z } from 'zod';
import { route } from './route.js';

/** `now`, `ops`, `batch:<id>`, `run:<id>`. */
const topicSchema = z
  .string()
  .regex(/^(now|ops|(batch:b|run:r)-[0-9a-z]{1,60})$/, 'must be now, ops, batch:<id> or run:<id>');

/** `event`: a key of `LiveMessages`; `data`: JSON; `id`: a cursor. Comments come every 15 s. */
export const liveRoutes = {
  live: route({
    method: 'GET',
    path: '/live',
    summary: 'changes as they happen, as server-sent events',
    role: 'viewer',
    query: z.strictObject({ topic: z.array(topicSchema).min(1).max(20), since: z.string().max(200).optional() }),
    answer: 'events',
  }),
};
