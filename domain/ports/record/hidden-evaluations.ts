import type { EvaluationRecord, EvaluationStatus, SplitScore } from '../../run/run.js';
import type { SavedEvaluation } from './evaluations.js';

/** A kept submission whose test split is still to be evaluated. */
export interface HiddenEvaluation {
  step: number;
  kind: EvaluationRecord['kind'];
  number: number;
  submissionSha256: string;
  fromStep: number | null;
  /** Its score on the split that was shown is. */
  suspect: boolean;
}

/** Submissions whose test split is evaluated after the run. */
export interface HiddenEvaluations {
  /**
   * Store what the agent is shown of a valid submission: its scores on `otherSplits`, and the text in the step's observation. The row of
   * the test split waits with the submission; see nextHidden. First write wins.
   */
  saveShown(evaluation: Omit<SavedEvaluation, keyof SplitScore> & { message: string }): Promise<void>;
  /** The first of the run's submissions that wait for their test; null: none does. */
  nextHidden(runId: string): Promise<HiddenEvaluation | null>;
  /** What the submission came to that the run ended with, on the test split; null: there is none, or it waits. */
  finalEvaluation(runId: string): Promise<EvaluationStatus | null>;
}
