import { z } from 'zod';
import { queryResultSchema } from '../../domain/views/database.js';
import { databaseSchemaSchema } from '../../domain/views/schema.js';
import { route } from './route.js';

/** Longer than the longest query: its own limit ends it. */
const LONGEST_MS = 310_000;

export const sqlRoutes = {
  sql: route({
    method: 'POST',
    path: '/sql',
    summary: 'one SELECT, as `bench sql` runs it; aborting the request cancels it',
    role: 'viewer',
    reads: true,
    limitMs: LONGEST_MS,
    body: z.strictObject({
      query: z.string().min(1).max(100_000),
      timeout: z.int().min(1).max(300).default(30).describe('seconds'),
      maxRows: z.int().min(1).max(10_000).default(10_000),
    }),
    answer: queryResultSchema,
  }),
  sqlSchema: route({
    method: 'GET',
    path: '/sql/schema',
    summary: 'tables and views with their comments, and example queries',
    role: 'viewer',
    answer: databaseSchemaSchema,
  }),
};
