import { z } from 'zod';
import { COMPARED_BY } from '../requests/pairs.js';
import { countSchema, directionSchema, endReasonSchema, runIdSchema, scoreSchema, usdSchema } from './values.js';

const sideSchema = z
  .strictObject({
    runId: runIdSchema,
    model: z.string(),
    score: scoreSchema.describe('of its best attempt'),
  })
  .meta({ id: 'PairedRun' });

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

const intervalSchema = z.strictObject({ low: z.number(), high: z.number() });

const verdictSchema = z
  .strictObject({
    decision: z
      .enum(['better', 'worse', 'similar', 'undecided'])
      .describe('B against A; similar: no more than the margin apart'),
    worse: z
      .enum(['yes', 'no', 'undecided'])
      .describe('is B worse by more than the margin? Undecided while runs have not ended'),
    winRate: z.number().describe("chance that B's attempt of a pair beats A's, a tie being half a win"),
    interval: intervalSchema,
    confidence: z.number(),
    margin: z.number(),
    p: z.number().describe('exact sign test, two-sided'),
    wins: countSchema.describe('pairs in which B is ahead'),
    ties: countSchema,
    losses: countSchema,
    tasksAhead: countSchema.describe('tasks where B wins more pairs than it loses'),
    tasksBehind: countSchema,
    moreAttempts: countSchema
      .nullable()
      .describe('per task, until a difference of 0.1 would show in four of five comparisons; null: decided'),
  })
  .meta({ id: 'PairVerdict', description: 'Whether B is better than A, by paired attempts.' });

const sideFiguresSchema = z
  .strictObject({
    runs: countSchema,
    unfinished: countSchema,
    costUsd: usdSchema,
    medianSeconds: z.number().nullable().describe('of ended runs; null: none'),
    ends: z.partialRecord(endReasonSchema, countSchema).describe('runs by the reason of their end'),
  })
  .meta({ id: 'ComparedSide', description: 'All runs of a side at the compared tasks.' });

export const pairsSchema = z
  .strictObject({
    a: z.string(),
    b: z.string(),
    by: z.enum(COMPARED_BY),
    verdict: verdictSchema.nullable(),
    sides: z.strictObject({ a: sideFiguresSchema, b: sideFiguresSchema }),
    outcomes: outcomesSchema.describe('of all tasks'),
    tasks: z.array(pairedTaskSchema),
    unpaired: z
      .strictObject({ a: countSchema, b: countSchema })
      .describe('counted runs without a partner on the other side'),
  })
  .meta({ id: 'Pairs', description: 'Two sides by paired attempts; `verdict` null: there are no pairs.' });
export type Pairs = z.infer<typeof pairsSchema>;
