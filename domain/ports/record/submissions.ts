import type { EvaluationRecord, TakenSubmission } from '../../run/run.js';

/** What was taken out of workspaces to be evaluated. */
export interface SubmissionLog {
  /** What was taken out of the workspace for an evaluation; null: nothing yet. */
  takenSubmission(runId: string, step: number, kind: EvaluationRecord['kind']): Promise<TakenSubmission | null>;
  /** First write wins, except over `gone`, whose files are not to be found. A sandbox that the run has left changes nothing. */
  saveTakenSubmission(
    runId: string,
    step: number,
    kind: EvaluationRecord['kind'],
    taken: TakenSubmission,
    epoch: number,
    gone?: string,
  ): Promise<void>;
  /** What this run hands in is its task's starter: each evaluation of it scores as the baseline. */
  noteStarter(runId: string, sha256: string): Promise<void>;
}
