import { z } from 'zod';
import { countSchema, directionSchema, runIdSchema, scoreSchema } from './values.js';

const sideSchema = z.strictObject({
  runId: runIdSchema,
  model: z.string(),
  score: scoreSchema.describe('of its best attempt'),
});

const outcomesSchema = z
  .strictObject({ both: countSchema, onlyA: countSchema, onlyB: countSchema, neither: countSchema })
  .meta({ id: 'PairOutcomes', description: 'Pairs by which side improved on the baseline, beyond its noise.' });

const pairedTaskSchema = z
  .strictObject({
    task: z.string(),
    metric: z.string(),
    direction: directionSchema,
    baseline: scoreSchema,
    outcomes: outcomesSchema,
    mean: scoreSchema.describe(
      'mean difference B − A, signed so that positive means B is better, over pairs with two scores',
    ),
    interval: z.strictObject({ low: z.number(), high: z.number() }).nullable().describe('of 95 %; pairs are resampled'),
    scored: countSchema.describe('pairs with two scores'),
    pairs: z.array(
      z.strictObject({
        attempt: countSchema,
        sameSeed: z.boolean(),
        outcome: z.enum(['both', 'onlyA', 'onlyB', 'neither']),
        a: sideSchema,
        b: sideSchema,
      }),
    ),
  })
  .meta({ id: 'PairedTask' });

export const pairsSchema = z.strictObject({
  a: z.string(),
  b: z.string(),
  by: z.enum(['batch', 'model']),
  outcomes: outcomesSchema.describe('of all tasks'),
  tasks: z.array(pairedTaskSchema),
  unpaired: z
    .strictObject({ a: countSchema, b: countSchema })
    .describe('counted runs without a partner on the other side'),
});
export type Pairs = z.infer<typeof pairsSchema>;
