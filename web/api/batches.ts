import { z } from 'zod';
import { BATCH_STATUSES } from '../../domain/run/outcomes.js';
import { ORIGINS } from '../../domain/run/run.js';
import {
  batchHeadSchema,
  batchMatrixSchema,
  batchPageSchema,
  batchSpendSchema,
} from '../../domain/views/batch-pages.js';
import { eventPageQuery, eventPageSchema } from './events.js';
import { route } from './route.js';

export const batchRoutes = {
  batches: route({
    method: 'GET',
    path: '/batches',
    summary: 'batches, newest first',
    role: 'viewer',
    query: z.strictObject({
      status: z.array(z.enum(BATCH_STATUSES)).optional(),
      origin: z.array(z.enum(ORIGINS)).optional(),
      text: z.string().max(200).optional().describe('in the name or id'),
      after: z.string().max(1000).optional(),
      limit: z.int().min(1).max(1000).default(100),
    }),
    answer: batchPageSchema,
  }),
  batch: route({
    method: 'GET',
    path: '/batches/:id',
    summary: 'a batch, by id, name, or an unambiguous part of the id',
    role: 'viewer',
    answer: batchHeadSchema,
  }),
  batchMatrix: route({
    method: 'GET',
    path: '/batches/:id/matrix',
    summary: 'its models by its tasks',
    role: 'viewer',
    answer: batchMatrixSchema,
  }),
  batchSpend: route({
    method: 'GET',
    path: '/batches/:id/spend',
    summary: 'what it spent, and how many runs were in flight, over time',
    role: 'viewer',
    query: z.strictObject({ buckets: z.int().min(10).max(500).default(100) }),
    answer: batchSpendSchema,
  }),
  batchEvents: route({
    method: 'GET',
    path: '/batches/:id/events',
    summary: 'its events and those of its runs, newest first',
    role: 'viewer',
    query: eventPageQuery,
    answer: eventPageSchema,
  }),
};
