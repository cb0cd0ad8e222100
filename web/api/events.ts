import { z } from 'zod';
import { EVENT_KINDS } from '../../domain/run/event-kinds.js';
import { eventSchema } from '../../domain/views/events.js';
import { route } from './route.js';

export const eventPageQuery = z.strictObject({
  kind: z.array(z.enum(EVENT_KINDS)).optional(),
  after: z.string().max(100).optional(),
  limit: z.int().min(1).max(1000).default(200),
});

export const eventPageSchema = z.strictObject({
  events: z.array(eventSchema).describe('newest first'),
  next: z.string().nullable(),
});

export const eventRoutes = {
  events: route({
    method: 'GET',
    path: '/events',
    summary: 'all events, newest first',
    role: 'viewer',
    query: eventPageQuery,
    answer: eventPageSchema,
  }),
};
