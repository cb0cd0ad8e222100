import { z } from 'zod';
import { countSchema, timeSchema } from './values.js';

const rateLimitsSchema = z
  .strictObject({ requests: z.number().nullable(), tokens: z.number().nullable() })
  .meta({ id: 'RateLimits', description: 'Per minute; null: no limit.' });

export const rateAccountSchema = z
  .strictObject({
    account: z.string(),
    provider: z.string(),
    set: rateLimitsSchema.describe('by `bench limits set`'),
    declared: rateLimitsSchema.describe('by its models'),
    learned: rateLimitsSchema.describe('from refusals'),
    stated: rateLimitsSchema.describe("by the provider's headers"),
    effective: rateLimitsSchema.describe('the limits that apply now'),
    blockedUntil: timeSchema.nullable().describe('no calls until then'),
    lastMinute: z.strictObject({ requests: z.number(), tokens: z.number() }).describe('granted'),
    waiting: countSchema.describe('calls'),
    waitingSince: timeSchema.nullable(),
    refusedLastHour: countSchema.describe('for their rate'),
    reservationFactors: z
      .record(z.string(), z.number())
      .describe('by model: times their estimate that calls set aside'),
  })
  .meta({ id: 'RateAccount' });
export type RateAccountRow = z.infer<typeof rateAccountSchema>;

export const limitsDocumentSchema = z.strictObject({ accounts: z.array(rateAccountSchema) });
export type LimitsDocument = z.infer<typeof limitsDocumentSchema>;

export const changedLimitsSchema = z.strictObject({ account: rateAccountSchema.nullable() });
export type ChangedLimits = z.infer<typeof changedLimitsSchema>;
