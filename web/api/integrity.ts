import { z } from 'zod';
import { INTEGRITY_RULES } from '../../domain/run/integrity-rules.js';
import { integrityPageSchema, integritySummarySchema } from '../../domain/views/integrity.js';
import { route } from './route.js';

const words = z.array(z.string().max(500)).max(200).optional();

export const integrityRoutes = {
  integrity: route({
    method: 'GET',
    path: '/integrity',
    summary: 'counts of scores that are not to be trusted',
    role: 'viewer',
    answer: integritySummarySchema,
  }),
  integrityFlags: route({
    method: 'GET',
    path: '/integrity/flags',
    summary: 'flags, each with the step that fired it',
    role: 'viewer',
    query: z.strictObject({
      rule: z.array(z.enum(INTEGRITY_RULES)).max(20).optional(),
      model: words,
      task: words,
      batch: words.describe('ids'),
      after: z.string().max(1000).optional(),
      limit: z.int().min(1).max(1000).default(100),
    }),
    answer: integrityPageSchema,
  }),
};
