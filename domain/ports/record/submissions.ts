import type { EvaluationRecord, TakenSubmission } from '../../run/run.js';

/** What was taken out of workspaces for evaluations. */
export interface SubmissionLog {
  takenSubmission(runId: string, step: number, kind: EvaluationRecord['kind']): Promise<TakenSubmission | null>;
  /** First write wins, except over `gone` (missing files). Ignored from a former sandbox. */
  saveTakenSubmission(
    runId: string,
    step: number,
    kind: EvaluationRecord['kind'],
    taken: TakenSubmission,
    epoch: number,
    gone?: string,
  ): Promise<void>;
  /** The submission is its task's starter: its evaluations score as the baseline. */
  noteStarter(runId: string, sha256: string): Promise<void>;
}
