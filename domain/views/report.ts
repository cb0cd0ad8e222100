import type { IntegrityRule } from '../integrity-rules.js';
import type { ModelKind } from '../model.js';
import type { EndReason, RunStatus } from '../outcomes.js';
import type { Origin, ScoredIsolation } from '../run.js';

/** A run behind the figures of a leaderboard. */
export interface ReportRun {
  runId: string;
  batchId: string;
  origin: Origin;
  model: string;
  kind: ModelKind;
  isolation: ScoredIsolation;
  task: string;
  attempt: number;
  status: RunStatus;
  endReason: EndReason | null;
  /** How it ended in MLGym's words, the labels of that, and what it came to (run_exits); null: not ended, or not known. */
  exitStatus: string | null;
  exitLabels: string[];
  outcome: 'failed' | 'incomplete' | 'complete' | null;
  best: number | null;
  last: number | null;
  /** One of the runs that the leaderboard's scores are from: the first k that ended by the agent's doing. */
  counted: boolean;
  /** Another run stands in its place. */
  superseded: boolean;
  evaluations: number;
  /** The best if suspect values counted too. */
  bestOfAll: number | null;
  /** Evaluations whose value is suspect: outside the task's bounds, or of a run with a mark. */
  suspect: number;
  /** Integrity rules that fired on it. */
  marks: IntegrityRule[];
  steps: number;
  /** US dollars, a decimal string; of imported runs as their harness recorded it, null where it did not. */
  costUsd: string | null;
  inputTokens: number;
  outputTokens: number;
  createdAt: string;
}

/** Steps of one kind of action, over the runs that count of one row of the leaderboard. */
export interface ActionCount {
  model: string;
  kind: ModelKind;
  isolation: ScoredIsolation;
  /** strict: action_category_strict; compat: action_category. */
  category: string;
  steps: number;
}
