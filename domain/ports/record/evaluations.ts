import type { EvaluationRecord, Isolation, SplitScore } from '../../run/run.js';
import type { Split } from '../../task/task.js';
import type { RunEvent } from './events.js';

/** An evaluation with all that is stored of it. */
export interface SavedEvaluation extends EvaluationRecord {
  evaluationNumber: number;
  isolation: Isolation;
  /** Of the sandbox that it was taken from: one that the run has left changes nothing. Absent: not checked. */
  epoch?: number;
  /** For the agent's eyes; absent: the message. */
  shown?: string;
  /** Splits other than `test`. */
  otherSplits?: ({ split: Split } & SplitScore)[];
  evaluatorImageDigest?: string | null;
  /** The step whose validate the submission is from; null or absent: it was in the workspace. */
  fromStep?: number | null;
  /** Written together with it, or not at all. */
  events?: readonly RunEvent[];
}

/** What an evaluator said of a submission. */
export type EarlierScore = Pick<SplitScore, 'metrics' | 'message'> & { step: number; status: 'ok' | 'rejected' };

/** Evaluations and their scores. First write wins. */
export interface EvaluationLog {
  /** Number of this evaluation within the run, from 1; the same for a repeated (step, kind). */
  evaluationNumber(runId: string, step: number, kind: EvaluationRecord['kind']): Promise<number>;
  /** While its test waits: with the status on the split that was shown, and without scores. */
  evaluation(runId: string, step: number, kind: EvaluationRecord['kind']): Promise<EvaluationRecord | null>;
  /**
   * Store an evaluation, a row for each split, and append what is shown to the step's observation, in one transaction; first write
   * wins. Keeps the run's best and final score, both of the split `test`.
   */
  saveEvaluation(evaluation: SavedEvaluation): Promise<void>;
  /** Validations that steps before this one asked for, whatever came of them; those that we failed to make are not among them. */
  validationsBefore(runId: string, step: number): Promise<number>;
  /** How the run's same submission was evaluated on a split before: `ok` or `rejected`, by the first evaluation; null: it was not. */
  earlierScore(runId: string, submissionSha256: string, split: Split): Promise<EarlierScore | null>;
  /** The last valid submission that the agent validated, or the best by what it was shown, suspect ones apart; null: there is none. */
  validSubmission(runId: string, which: 'last' | 'best'): Promise<{ step: number; submissionSha256: string } | null>;
}
