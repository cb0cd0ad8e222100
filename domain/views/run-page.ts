import { z } from 'zod';
import { RUN_STATUSES } from '../run/outcomes.js';
import { RUN_FACETS } from '../requests/run-filter.js';
import { runSummarySchema } from './runs.js';
import { countSchema, runIdSchema, scoreSchema, timeSchema } from './values.js';

export const outcomeSchema = z
  .enum(['complete', 'incomplete', 'failed'])
  .nullable()
  .describe('as `run_exits` has it; null: not ended, or not recorded');

/** A run in a list: what `bench runs` says of it, and what else people sort and choose by. */
export const runRowSchema = runSummarySchema
  .extend({
    batchName: z.string().nullable(),
    agent: z.string(),
    outcome: outcomeSchema,
    inputTokens: countSchema,
    outputTokens: countSchema,
    durationMs: z
      .number()
      .nonnegative()
      .nullable()
      .describe('from its start to its end, or until now; null: not started'),
    baseline: scoreSchema.describe("score of the task's starter"),
    replacedBy: runIdSchema.nullable(),
  })
  .meta({ id: 'RunRow' });
export type RunRow = z.infer<typeof runRowSchema>;

export const runPageSchema = z.strictObject({
  runs: z.array(runRowSchema),
  next: z.string().nullable().describe('`after` of the next page; null: there is none'),
});
export type RunPage = z.infer<typeof runPageSchema>;

const rangeSchema = z
  .strictObject({ min: z.number(), max: z.number() })
  .nullable()
  .describe('null: no run has a value');

export const runFacetsSchema = z.strictObject({
  total: countSchema.describe('runs that the whole filter leaves'),
  facets: z
    .record(z.enum(RUN_FACETS), z.array(z.strictObject({ value: z.string(), runs: countSchema })))
    .describe("most first; each counts what all of the filter but its own part leaves. `''`: runs without"),
  ranges: z
    .strictObject({
      score: rangeSchema,
      steps: rangeSchema,
      cost: rangeSchema,
      tokens: rangeSchema,
      duration: rangeSchema,
      created: z.strictObject({ min: timeSchema, max: timeSchema }).nullable(),
    })
    .describe('of the runs that the whole filter leaves'),
});
export type RunFacetCounts = z.infer<typeof runFacetsSchema>;

const activeStatusSchema = z.enum(RUN_STATUSES).exclude(['ended']);
export const activeRunsSchema = z.strictObject({
  runs: z
    .record(activeStatusSchema, countSchema)
    .describe('runs that have not ended, by status; nodes of search trees apart'),
});
export type ActiveRuns = z.infer<typeof activeRunsSchema>;
