import { z } from 'zod';
import { countSchema, timeSchema } from './values.js';

export const providerTroubleSchema = z
  .strictObject({
    model: z.string(),
    endpoint: z.string().nullable().describe('host and path; null: not recorded'),
    error: z.string().describe("the error's type"),
    detail: z.string().describe('in words'),
    runs: countSchema,
    at: timeSchema.describe('the last error'),
    nextTryAt: timeSchema.nullable().describe('the earliest; null: a call is under way'),
  })
  .meta({ id: 'ProviderError', description: 'Why runs wait for an answer.' });
export type ProviderTrouble = z.infer<typeof providerTroubleSchema>;
