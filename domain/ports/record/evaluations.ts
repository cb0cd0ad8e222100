import type { EvaluationRecord, Isolation, SplitScore } from '../../run/run.js';
import type { Split } from '../../task/task.js';
import type { RunEvent } from './events.js';

/** An evaluation with all its stored data. */
export interface SavedEvaluation extends EvaluationRecord {
  evaluationNumber: number;
  isolation: Isolation;
  /** Sandbox that it is from: one that the run has left changes nothing. Absent: not checked. */
  epoch?: number;
  /** For the agent; absent: the message. */
  shown?: string;
  /** Splits other than `test`. */
  otherSplits?: ({ split: Split } & SplitScore)[];
  evaluatorImageDigest?: string | null;
  /** Step whose validation has the submission; null or absent: the workspace has it. */
  fromStep?: number | null;
  /** Written in the same transaction. */
  events?: readonly RunEvent[];
}

export type EarlierScore = Pick<SplitScore, 'metrics' | 'message'> & { step: number; status: 'ok' | 'rejected' };

/** First write wins. */
export interface EvaluationLog {
  /** Number within the run, from 1; stable for a repeated (step, kind). */
  evaluationNumber(runId: string, step: number, kind: EvaluationRecord['kind']): Promise<number>;
  /** While the test split waits: the shown split's status, and no scores. */
  evaluation(runId: string, step: number, kind: EvaluationRecord['kind']): Promise<EvaluationRecord | null>;
  /**
   * Store a row for each split and append the shown text to the step's observation, atomically.
   * First write wins. Updates the run's best and final score, both on `test`.
   */
  saveEvaluation(evaluation: SavedEvaluation): Promise<void>;
  /** Validations requested before this step, except those with an internal fault. */
  validationsBefore(runId: string, step: number): Promise<number>;
  /** First earlier evaluation (`ok` or `rejected`) of the same submission on a split. */
  earlierScore(runId: string, submissionSha256: string, split: Split): Promise<EarlierScore | null>;
  /** The last valid submission that the agent validated, or the best shown and not suspect. */
  validSubmission(runId: string, which: 'last' | 'best'): Promise<{ step: number; submissionSha256: string } | null>;
}
