import { z } from 'zod';
import { allocationSchema } from './allocation.js';
import { usageForecastSchema } from './forecast.js';
import { unreachableHostSchema } from './hosts.js';
import { blockerSchema } from './blocker.js';
import { providerTroubleSchema } from './provider-trouble.js';
import { runSummarySchema } from './runs.js';
import {
  batchIdSchema,
  batchStatusSchema,
  countSchema,
  endReasonSchema,
  finalEvaluationSchema,
  originSchema,
  scoreSchema,
  timeSchema,
  usdSchema,
} from './values.js';

export const batchSummarySchema = z.strictObject({
  batchId: batchIdSchema,
  project: z.string().describe('names of batches are unique in it'),
  name: z.string().nullable(),
  origin: originSchema,
  status: batchStatusSchema,
  seed: z.int(),
  concurrency: countSchema,
  priority: z.int().describe('1 (first) to 5 (last)'),
  training: z.boolean().describe('trainers play its runs as episodes'),
  pausedAt: timeSchema.nullable().describe('since then no run is started'),
  archivedAt: timeSchema.nullable().describe('since then lists and leaderboards over all batches omit it'),
  note: z.string().nullable().describe('by people'),
  tags: z.array(z.string()).describe('by people'),
  pauseReason: z.string().nullable().describe('why it paused itself; null: it did not'),
  breaker: countSchema.nullable().describe('runs in a row that end by one cause before it does; null: it never does'),
  budgetUsd: usdSchema.nullable(),
  chargedUsd: usdSchema.describe('confirmed costs, and reservations of open and lost calls'),
  runs: countSchema,
  shards: countSchema,
  ended: countSchema.describe('runs'),
  steps: countSchema.describe('of all runs'),
  costUsd: usdSchema.describe('of all runs'),
  createdAt: timeSchema,
  startedAt: timeSchema.nullable(),
  endedAt: timeSchema.nullable(),
});
/** A batch without its runs. */
export type BatchSummary = z.infer<typeof batchSummarySchema>;

const byStatusSchema = z.record(z.string(), countSchema);

/** Of a training batch. `reward`: the mean of the `latest` episodes that ended last. */
const trainingStateSchema = z
  .strictObject({
    ...{ open: countSchema, ended: countSchema },
    states: z.record(z.string(), countSchema).describe('open episodes by what they wait for'),
    reward: z.number().nullable().describe('mean of those of the `latest` that have one'),
    latest: countSchema.describe('episodes that ended last, at most 100'),
  })
  .meta({ id: 'TrainingState' });
export type TrainingState = z.infer<typeof trainingStateSchema>;

const batchStatusReportSchema = batchSummarySchema.extend({
  episodes: trainingStateSchema.nullable().describe('null: no trainer plays its runs'),
  byStatus: byStatusSchema.describe('runs by status'),
  byEndReason: z.record(z.string(), countSchema).describe('runs by end reason'),
  replaced: countSchema.describe('runs repeated by others of it'),
  allocation: allocationSchema.nullable().describe('with `attempts: auto`; null: attempts are fixed'),
  forecast: usageForecastSchema.nullable().describe('made when it was submitted; null: none was made'),
  providerErrors: z.array(providerTroubleSchema).describe('what keeps runs waiting, most first'),
  unreachableHosts: z
    .array(unreachableHostSchema)
    .describe('that have runs of it, and register no more or do not reach Temporal'),
  blockedBy: blockerSchema.nullable().describe('what blocks it; null: nothing, or it is over'),
  lastStepAt: timeSchema.nullable().describe('of any of its runs; null: no step yet'),
  /** In submission order. */
  runList: z.array(runSummarySchema),
});
/** A batch with its runs. */
export type BatchStatusReport = z.infer<typeof batchStatusReportSchema>;

const listedBatchSchema = batchSummarySchema.extend({ byStatus: byStatusSchema.describe('runs by status') });
/** A batch in a list: how many of its runs are in which state. */
export type ListedBatch = z.infer<typeof listedBatchSchema>;

/** In documents `runs` is a list of runs everywhere: their number has a name of its own. */
const totalRuns = countSchema;

export const batchDocumentSchema = batchStatusReportSchema
  .omit({ runs: true, runList: true })
  .extend({
    totalRuns,
    endReason: endReasonSchema.nullable().describe('that all runs share'),
    finalEvaluation: finalEvaluationSchema.nullable().describe('that all runs share'),
    bestScore: scoreSchema.describe('that all runs share'),
    finalScore: scoreSchema.describe('that all runs share'),
    waitingFor: z.array(z.string()).describe('what the batch waits for, in words'),
    next: z.string().describe('the next command'),
    runs: z.array(runSummarySchema).describe('as submitted'),
  })
  .meta({ id: 'Batch' });
export type BatchDocument = z.infer<typeof batchDocumentSchema>;

/** Newest first; `total` counts those beyond the limit, too. */
export const batchesDocumentSchema = z.strictObject({
  batches: z.array(listedBatchSchema.omit({ runs: true }).extend({ totalRuns }).meta({ id: 'ListedBatch' })),
  total: countSchema,
});
export type BatchesDocument = z.infer<typeof batchesDocumentSchema>;
