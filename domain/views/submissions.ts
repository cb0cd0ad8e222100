import { z } from 'zod';
import { allocationSchema } from './allocation.js';
import { batchForecastSchema } from './forecast.js';
import { backendSchema, batchIdSchema, countSchema, runIdSchema, usdSchema } from './values.js';

const skippedTaskSchema = z.strictObject({ task: z.string(), reason: z.string(), remedy: z.string() });
/** A task that a batch omits, and the command that fixes it. */
export type SkippedTask = z.infer<typeof skippedTaskSchema>;

const batchEstimateSchema = z
  .strictObject({
    runs: countSchema,
    gpus: z.strictObject({ min: countSchema, max: countSchema }).describe('per run'),
    peakGpus: countSchema.describe('with all runs in flight that may be'),
    peakMemoryMb: z.number().describe('likewise'),
    maxCostUsd: usdSchema.nullable().describe('every reply of every step with a full context window; null: not known'),
    unpricedModels: z.array(z.string()).describe('they have no price, and count as free'),
  })
  .meta({ id: 'Estimate' });
/** What a batch needs and may cost, before anything of it is stored. */
export type BatchEstimate = z.infer<typeof batchEstimateSchema>;

export const submittedDocumentSchema = z
  .strictObject({
    batchId: batchIdSchema.nullable().describe('null in a dry run, as `runId`'),
    dryRun: z.boolean(),
    existing: z.boolean().describe('was there already, and is resumed'),
    name: z.string().nullable(),
    backend: backendSchema,
    skipped: z.array(skippedTaskSchema).describe('tasks that are omitted'),
    runs: z.array(
      z.strictObject({
        runId: runIdSchema.nullable(),
        model: z.string(),
        task: z.string(),
        attempt: countSchema,
        seed: z.int(),
        sample: z.boolean(),
        profile: z.string().nullable(),
      }),
    ),
    allocation: allocationSchema
      .nullable()
      .describe('with `attempts: auto`: `runs` are the first; null: attempts are fixed'),
    estimate: batchEstimateSchema.exactOptional().describe('dry runs only'),
    forecast: batchForecastSchema.exactOptional().describe('dry runs only'),
  })
  .meta({ id: 'Submission' });
export type SubmittedDocument = z.infer<typeof submittedDocumentSchema>;

export const forkedDocumentSchema = submittedDocumentSchema
  .extend({ forkedFrom: runIdSchema, forkedAtStep: countSchema })
  .meta({ id: 'Fork' });
export type ForkedDocument = z.infer<typeof forkedDocumentSchema>;
