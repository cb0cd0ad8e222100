import { z } from 'zod';
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

export const leaderboardRunSchema = z.strictObject({
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
  /** One of the scored runs: the first k that the agent ended. */
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
export type LeaderboardRun = z.infer<typeof leaderboardRunSchema>;
