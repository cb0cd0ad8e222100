import { z } from 'zod';
import { countSchema } from './values.js';

export const allocationSchema = z
  .strictObject({
    confidence: z.number().describe('at which the order of the models by gain is to be settled'),
    maxAttempts: countSchema.describe('of a model at a task'),
    looks: countSchema.describe('how often the order was looked at'),
    pairs: countSchema.describe('of models; 0: it was not looked at yet'),
    settled: countSchema.describe('those of them whose order is settled'),
    state: z
      .enum(['playing', 'settled', 'max_attempts', 'budget', 'unknown'])
      .describe(
        '`max_attempts`: no more attempts could settle it; `budget`: it is spent; `unknown`: no task has gains, or a pair has no attempt that counts',
      ),
    detail: z.string().describe('why it continues or stopped'),
  })
  .meta({ id: 'Allocation', description: 'How attempts are allocated with `attempts: auto`.' });
export type Allocation = z.infer<typeof allocationSchema>;
