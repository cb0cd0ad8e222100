import { z } from 'zod';
import { batchDocumentSchema, batchesDocumentSchema } from './batches.js';
import {
  batchIdSchema,
  countSchema,
  directionSchema,
  endReasonSchema,
  finalEvaluationSchema,
  runIdSchema,
  scoreSchema,
  timeSchema,
  usdSchema,
} from './values.js';

/** Ended runs by what came of them. */
const endsSchema = z
  .strictObject({
    complete: countSchema,
    incomplete: countSchema,
    failed: countSchema.describe("no score, by the agent's doing"),
    infra: countSchema.describe('infra_error and config_error'),
    cancelled: countSchema.describe('and stopped by a budget'),
  })
  .meta({ id: 'Ends' });
export type Ends = z.infer<typeof endsSchema>;

const forecastSchema = z
  .strictObject({
    remainingMs: z.number().nonnegative().nullable().describe('until the last run ends'),
    expectedUsd: z.number().nonnegative().nullable().describe('when all have ended, those spent included'),
  })
  .meta({ id: 'StillToCome', description: 'Both null: nothing is known yet.' });

/** A batch in a list: what `bench batches` says of it, and what people choose by. */
export const batchRowSchema = batchesDocumentSchema.shape.batches.element
  .extend({ ends: endsSchema, models: z.array(z.string()), tasks: z.array(z.string()) })
  .meta({ id: 'BatchRow' });
export type BatchRow = z.infer<typeof batchRowSchema>;

export const batchPageSchema = z.strictObject({
  batches: z.array(batchRowSchema),
  total: countSchema.describe('of all pages'),
  next: z.string().nullable(),
});
export type BatchPage = z.infer<typeof batchPageSchema>;

export const batchHeadSchema = z.strictObject({
  batch: batchDocumentSchema
    .omit({ runs: true, waitingFor: true, next: true })
    .describe('as `bench status` has it, without the runs and what is said in words'),
  ends: endsSchema,
  forecast: forecastSchema,
  faults: z
    .array(z.strictObject({ fault: z.string(), runs: countSchema, firstRun: runIdSchema }))
    .describe('infra_error and config_error, most runs first'),
  exits: z.array(
    z.strictObject({
      endReason: endReasonSchema,
      finalEvaluation: finalEvaluationSchema,
      status: z.string().nullable().describe("in MLGym's words"),
      outcome: z.enum(['complete', 'incomplete', 'failed']).nullable(),
      runs: countSchema,
    }),
  ),
  specification: z.looseObject({}).describe('as submitted'),
});
export type BatchHead = z.infer<typeof batchHeadSchema>;

const batchCellSchema = z
  .strictObject({
    model: z.string(),
    task: z.string(),
    runs: countSchema,
    ended: countSchema,
    running: countSchema,
    waiting: countSchema,
    faults: countSchema.describe('infra_error and config_error'),
    best: scoreSchema,
    bestRun: runIdSchema.nullable(),
    suspect: countSchema.describe('evaluations'),
    costUsd: usdSchema,
    forecast: forecastSchema,
  })
  .meta({ id: 'BatchCell' });

export const batchMatrixSchema = z.strictObject({
  batchId: batchIdSchema,
  models: z.array(z.string()),
  tasks: z.array(
    z.strictObject({ task: z.string(), primary: z.string(), direction: directionSchema, baseline: scoreSchema }),
  ),
  cells: z.array(batchCellSchema).describe('those that have runs'),
});
export type BatchMatrix = z.infer<typeof batchMatrixSchema>;

export const batchSpendSchema = z.strictObject({
  batchId: batchIdSchema,
  bucketSeconds: countSchema,
  buckets: z.array(
    z.strictObject({
      at: timeSchema.describe('its beginning'),
      costUsd: usdSchema.describe('of calls that were answered in it'),
      cumulativeUsd: usdSchema,
      inFlight: countSchema.describe('runs, at its end'),
      ended: countSchema.describe('runs, by its end'),
    }),
  ),
  budgetUsd: usdSchema.nullable(),
  chargedUsd: usdSchema,
  forecast: forecastSchema,
});
export type BatchSpend = z.infer<typeof batchSpendSchema>;
