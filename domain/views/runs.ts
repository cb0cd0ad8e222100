import type { IntegrityRule } from '../run/integrity-rules.js';
import { z } from 'zod';
import type { EndReason, RunStatus } from '../run/outcomes.js';
import { LIMIT_KINDS } from '../run/run.js';
import { networkSchema } from '../task/network.js';
import { SPLITS } from '../task/task.js';
import { providerTroubleSchema } from './provider-trouble.js';
import {
  backendSchema,
  batchIdSchema,
  countSchema,
  directionSchema,
  endReasonSchema,
  finalEvaluationSchema,
  integrityRuleSchema,
  isolationSchema,
  modelKindSchema,
  originSchema,
  runIdSchema,
  runStatusSchema,
  scoreSchema,
  timeSchema,
  usdSchema,
} from './values.js';

export const integrityFlagSchema = z
  .strictObject({
    rule: integrityRuleSchema,
    step: countSchema.nullable().describe('first one where it shows; scores before it stay'),
    until: countSchema.nullable().describe('last one whose score it makes suspect; null: all from the first on'),
    detail: z.string(),
  })
  .meta({ id: 'IntegrityFlag' });

export const runSummarySchema = z
  .strictObject({
    runId: runIdSchema,
    batchId: batchIdSchema,
    project: z.string().describe('of its batch'),
    origin: originSchema,
    model: z.string(),
    modelKind: modelKindSchema,
    task: z.string(),
    attempt: countSchema,
    status: runStatusSchema,
    endReason: endReasonSchema.nullable().describe('null: not ended'),
    finalEvaluation: finalEvaluationSchema.nullable().describe('null: not ended'),
    exitStatus: z.string().nullable().describe("in MLGym's words; null: not ended"),
    detail: z.string().nullable().describe('what failed, in words'),
    ending: z
      .strictObject({
        why: z.string().describe('in words, with amounts'),
        next: z.string().nullable().describe('what can be done; null: nothing'),
      })
      .meta({ id: 'Ending' })
      .nullable()
      .describe('why it ended; null: not ended'),
    note: z.string().nullable().describe('by people'),
    tags: z.array(z.string()).describe('by people'),
    steps: countSchema,
    maxSteps: countSchema,
    costUsd: usdSchema,
    primary: z.string().describe('the metric that ranks'),
    direction: directionSchema,
    bestScore: scoreSchema.describe('suspect ones included'),
    finalScore: scoreSchema.describe('of the last evaluation'),
    evaluations: countSchema,
    suspect: countSchema.describe('evaluations'),
    sample: z.boolean().describe('on sample data'),
    profile: z.string().nullable().describe("budget of its task; null: the task's own"),
    flags: z.array(integrityFlagSchema).describe('of an ended run'),
    backend: backendSchema,
    isolation: isolationSchema.nullable().describe('null: no sandbox yet'),
    host: z.string().nullable(),
    epoch: countSchema.describe('which sandbox of the run this is'),
    createdAt: timeSchema,
    startedAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
    updatedAt: timeSchema,
  })
  .meta({ id: 'Run' });
export type RunSummary = z.infer<typeof runSummarySchema>;

/** Which runs to list. */
export interface RunFilter {
  batchId?: string | undefined;
  models?: string[] | undefined;
  tasks?: string[] | undefined;
  statuses?: RunStatus[] | undefined;
  endReasons?: EndReason[] | undefined;
  flag?: IntegrityRule | undefined;
  tag?: string | undefined;
  /** Newest first, at most this many; default 1000. */
  limit?: number | undefined;
}

export const evaluationDetailSchema = z
  .strictObject({
    step: countSchema,
    kind: z.enum(['validate', 'submit', 'forced', 'baseline']),
    split: z.enum(SPLITS).describe('leaderboards use `test`; the agent is shown `validation`'),
    number: countSchema.describe('splits share one'),
    status: z.enum(['ok', 'no_artefact', 'rejected', 'evaluator_error']),
    metrics: z.record(z.string(), z.number()).nullable(),
    primary: scoreSchema.describe('the metric that ranks'),
    suspect: z.boolean().describe("outside the task's bounds, or of a flagged run"),
    message: z.string().describe('to the agent'),
    fault: z.string().nullable().describe('`evaluator_error`: what failed, for the author of the task'),
    submissionSha256: z.string().nullable(),
    fromStep: countSchema.nullable().describe('forced end: the submission is from the validate of this step'),
    isolation: isolationSchema,
    ms: countSchema.nullable().describe('null: imported, not recorded'),
    at: timeSchema,
  })
  .meta({ id: 'Evaluation' });
export type EvaluationDetail = z.infer<typeof evaluationDetailSchema>;

const samplingSchema = z.strictObject({
  temperature: z.number().optional(),
  topP: z.number().optional(),
  maxOutputTokens: countSchema.optional(),
});

const usageSchema = z.strictObject({
  inputTokens: countSchema,
  outputTokens: countSchema,
  cachedTokens: countSchema,
  reasoningTokens: countSchema,
  cacheWriteTokens: countSchema.exactOptional(),
  cacheWriteHourTokens: countSchema.exactOptional(),
});

export const runDetailSchema = runSummarySchema
  .extend({
    seed: z.int(),
    agent: z.string(),
    agentHash: z.string(),
    taskHash: z.string(),
    contract: countSchema,
    provider: z.string(),
    providerModel: z.string(),
    sampling: samplingSchema,
    wallSeconds: z.number().describe('limit; 0: none'),
    gpus: countSchema,
    workspace: z.string().nullable(),
    imageDigest: z.string().nullable(),
    evaluatorImageDigest: z.string().nullable(),
    limits: z
      .strictObject({ workspaceMb: z.number(), memoryMb: z.number(), cpus: z.number(), pids: z.number() })
      .nullable()
      .describe('of the sandbox; null: imported'),
    workspaceLimit: z.enum(['file_system', 'watched']).nullable().describe('null: none, or not begun'),
    unenforcedLimits: z
      .array(z.enum(LIMIT_KINDS))
      .nullable()
      .describe('limits that its host does not enforce; null: not begun'),
    network: networkSchema.unwrap().nullable().describe('null: imported'),
    memory: z.boolean().describe("may use the task's memory"),
    memoryRecords: countSchema.nullable().describe('records there when the run began'),
    harnessVersion: z.string(),
    replaces: runIdSchema.nullable().describe('the run that it repeats'),
    forkedFrom: runIdSchema.nullable(),
    forkedAtStep: countSchema.nullable().describe('last step taken over'),
    shard: countSchema,
    usage: usageSchema,
    modelCalls: countSchema.nullable().describe('null: imported, not recorded'),
    outOfMemory: countSchema.describe('commands during which its memory limit ended a process'),
    providerError: providerTroubleSchema.nullable().describe('why it waits for an answer'),
    endpoints: z
      .array(z.strictObject({ endpoint: z.string(), calls: countSchema }))
      .describe('host and path, most used first'),
    recordedCostUsd: usdSchema.nullable().describe('imported runs: cost by their own price list'),
    cacheSavedUsd: usdSchema
      .nullable()
      .describe("what reads from the provider's cache saved, less what writes cost more; null: no reads, or no price"),
    baseline: scoreSchema.describe("score of the task's starter"),
    baselineError: scoreSchema.describe('standard error of one evaluation of the baseline'),
    evaluationList: z.array(evaluationDetailSchema),
  })
  .meta({ id: 'RunDetail' });
export type RunDetail = z.infer<typeof runDetailSchema>;

/** Newest first; `more`: others are beyond the limit. */
export const runsDocumentSchema = z.strictObject({
  runs: z.array(runSummarySchema),
  more: z.boolean(),
});
export type RunsDocument = z.infer<typeof runsDocumentSchema>;
