import { z } from 'zod';
import { batchIdSchema, countSchema, directionSchema, scoreSchema, timeSchema } from './values.js';

const pointSchema = z
  .strictObject({
    batchId: batchIdSchema,
    name: z.string().nullable(),
    at: timeSchema.describe('when the batch was submitted'),
    contract: countSchema.describe('of the task; scores of different ones are not comparable'),
    runs: countSchema.describe('that count'),
    scored: countSchema,
    ...{ low: scoreSchema, median: scoreSchema, high: scoreSchema },
  })
  .meta({ id: 'TrendPoint', description: "A batch's best attempts of one model at one task." });

export const trendSchema = z
  .strictObject({
    direction: directionSchema,
    baseline: scoreSchema,
    points: z.array(pointSchema).describe('the oldest first, of the last 500 batches'),
  })
  .meta({ id: 'Trend' });
export type Trend = z.infer<typeof trendSchema>;
