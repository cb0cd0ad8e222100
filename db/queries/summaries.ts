import type { ModelKind } from '../../domain/model.js';
import type { BatchStatus, EndReason, FinalEvaluation, RunStatus } from '../../domain/outcomes.js';
import type { Backend, Isolation } from '../../domain/run.js';
import type { Direction } from '../../domain/score.js';

/** Times are ISO 8601 strings in UTC, money is decimal strings: a summary is printed as JSON as it is. */
export interface BatchSummary {
  batchId: string;
  name: string | null;
  status: BatchStatus;
  seed: number;
  concurrency: number;
  budgetUsd: string | null;
  /** Runs in total, and how many shards they make. */
  runs: number;
  shards: number;
  ended: number;
  steps: number;
  costUsd: string;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
}

export interface RunSummary {
  runId: string;
  batchId: string;
  model: string;
  modelKind: ModelKind;
  task: string;
  attempt: number;
  status: RunStatus;
  endReason: EndReason | null;
  finalEvaluation: FinalEvaluation | null;
  /** What MLGym would have written; null until the run has ended. */
  exitStatus: string | null;
  /** For people: what failed. */
  detail: string | null;
  steps: number;
  maxSteps: number;
  costUsd: string;
  primary: string;
  direction: Direction;
  /** Over all evaluations that were ok, suspect ones included. */
  bestScore: number | null;
  /** Of the evaluation at submit or at a forced end. */
  finalScore: number | null;
  evaluations: number;
  suspect: number;
  backend: Backend;
  /** Null until the sandbox has stood. */
  isolation: Isolation | null;
  host: string | null;
  epoch: number;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  updatedAt: string;
}
