import { z } from 'zod';
import {
  batchIdSchema,
  countSchema,
  endReasonSchema,
  integrityRuleSchema,
  runIdSchema,
  scoreSchema,
  timeSchema,
} from './values.js';

/** A flag with what fired it. */
const foundFlagSchema = z
  .strictObject({
    runId: runIdSchema,
    batchId: batchIdSchema,
    model: z.string(),
    task: z.string(),
    attempt: countSchema,
    rule: integrityRuleSchema,
    step: countSchema.nullable(),
    until: countSchema.nullable(),
    detail: z.string(),
    action: z.string().nullable().describe('of that step, its first 2000 characters'),
    best: scoreSchema.describe('without suspect values'),
    bestOfAll: scoreSchema.describe('if they counted'),
    suspects: countSchema.describe('evaluations'),
    endedAt: timeSchema.nullable(),
  })
  .meta({ id: 'FoundFlag' });

const counted = z.array(z.strictObject({ value: z.string(), runs: countSchema }));

export const integrityPageSchema = z.strictObject({
  flags: z.array(foundFlagSchema).describe('of runs, the newest first'),
  next: z.string().nullable(),
});
export type IntegrityPage = z.infer<typeof integrityPageSchema>;

export const integritySummarySchema = z
  .strictObject({
    runs: countSchema.describe('that have ended'),
    flagged: countSchema.describe('runs with a flag'),
    suspects: countSchema.describe('evaluations'),
    rules: counted,
    models: counted,
    tasks: counted,
    withoutIsolation: counted.describe('ended runs by model: what the agent could reach is not known'),
    reachable: z
      .array(
        z.strictObject({
          task: z.string(),
          contract: countSchema,
          selfReported: z.boolean().describe('the agent writes the metric itself'),
          protectedFiles: countSchema.describe('of the evaluator, in reach of the agent'),
          runs: countSchema,
        }),
      )
      .describe('tasks whose evaluator the agent can reach'),
    faults: z
      .array(z.strictObject({ endReason: endReasonSchema, runs: countSchema, scored: countSchema }))
      .describe("ends that are no agent's doing; `scored`: those that had a score already"),
    events: z.array(z.strictObject({ kind: z.string(), events: countSchema, runs: countSchema })),
  })
  .meta({ id: 'IntegritySummary' });
export type IntegritySummary = z.infer<typeof integritySummarySchema>;
