import type { EvaluationRecord, EvaluationStatus, SplitScore } from '../../run/run.js';
import type { SavedEvaluation } from './evaluations.js';

/** A kept submission whose test split is not evaluated yet. */
export interface HiddenEvaluation {
  step: number;
  kind: EvaluationRecord['kind'];
  number: number;
  submissionSha256: string;
  fromStep: number | null;
  /** The shown split's score is suspect. */
  suspect: boolean;
}

/** Submissions whose test split is evaluated after the run. */
export interface HiddenEvaluations {
  /**
   * Store the agent's view of a valid submission: scores on `otherSplits`, and the observation's
   * text. The test split waits (see nextHidden). First write wins.
   */
  saveShown(evaluation: Omit<SavedEvaluation, keyof SplitScore> & { message: string }): Promise<void>;
  /** The run's first submission that waits for its test. */
  nextHidden(runId: string): Promise<HiddenEvaluation | null>;
  /** Test outcome of the run's final submission; null: none, or it waits. */
  finalEvaluation(runId: string): Promise<EvaluationStatus | null>;
}
