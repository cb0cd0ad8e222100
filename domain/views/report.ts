import { z } from 'zod';
import type { ModelKind } from '../model/model.js';
import type { ScoredIsolation } from '../run/run.js';
import type { TreeDocument } from './tree.js';
import {
  batchIdSchema,
  countSchema,
  endReasonSchema,
  integrityRuleSchema,
  modelKindSchema,
  originSchema,
  runIdSchema,
  runStatusSchema,
  scoredIsolationSchema,
  scoreSchema,
  timeSchema,
  usdSchema,
} from './values.js';

export const reportRunSchema = z.strictObject({
  runId: runIdSchema,
  batchId: batchIdSchema,
  origin: originSchema,
  model: z.string(),
  kind: modelKindSchema,
  isolation: scoredIsolationSchema,
  task: z.string(),
  attempt: countSchema,
  status: runStatusSchema,
  endReason: endReasonSchema.nullable(),
  /** MLGym's exit status, its labels and its outcome (run_exits); null: not ended, or unknown. */
  exitStatus: z.string().nullable(),
  exitLabels: z.array(z.string()),
  outcome: z.enum(['failed', 'incomplete', 'complete']).nullable(),
  best: scoreSchema,
  last: scoreSchema,
  /** One of the runs that the leaderboard's scores are from: the first k that ended by the agent's doing. */
  counted: z.boolean(),
  /** Another run stands in its place. */
  superseded: z.boolean(),
  evaluations: countSchema,
  /** The best if suspect values counted too. */
  bestOfAll: scoreSchema,
  /** Evaluations whose value is suspect: outside the task's bounds, or of a run with a flag. */
  suspect: countSchema,
  /** Integrity rules that fired on it. */
  flags: z.array(integrityRuleSchema),
  steps: countSchema,
  /** Of imported runs as their harness recorded it; null: it did not. */
  costUsd: usdSchema.nullable(),
  inputTokens: countSchema,
  outputTokens: countSchema,
  createdAt: timeSchema,
});
/** A run behind the figures of a leaderboard. */
export type ReportRun = z.infer<typeof reportRunSchema>;

/** Steps of one kind of action, over the runs that count of one row of the leaderboard. */
export interface ActionCount {
  model: string;
  kind: ModelKind;
  isolation: ScoredIsolation;
  /** strict: action_category_strict; compat: action_category. */
  category: string;
  steps: number;
}

/** A run of the report that played a tree of forks. */
export type ReportTree = Pick<ReportRun, 'runId'> &
  Omit<TreeDocument, 'nodes' | 'primary' | 'direction' | 'status'> & {
    /** What came of its nodes. */
    came: { scored: number; failed: number; lost: number; open: number };
    waves: number;
    /** On validation, in the task's direction. */
    selectedScore: number | null;
  };

/** The file's absolute path, and how many rows of the leaderboard and runs are in it. */
export const reportDocumentSchema = z.strictObject({
  file: z.string(),
  format: z.enum(['html', 'md', 'csv']),
  bytes: countSchema,
  rows: countSchema,
  runs: countSchema,
});
export type ReportDocument = z.infer<typeof reportDocumentSchema>;
