import type { Isolation } from '../run/run.js';
import type { Metrics } from '../run/score.js';
import type { Split, TaskSpec } from '../task/task.js';
import type { SubmissionFile } from './sandbox-port.js';

export interface EvaluationJob {
  /** Unique per evaluation and stable over retries: names the evaluator's container. [a-z0-9-] only. */
  id: string;
  task: TaskSpec;
  /** Host folder of the task; its `evaluator/` holds the secret files. */
  taskDir: string;
  submission: SubmissionFile[];
  /** Split to score; selects the task's secrets. */
  split: Split;
  /** Hex; the evaluator's only source of randomness, so the same job gives the same metrics. */
  seed: string;
}

export type EvaluationOutcome =
  /** Finite numbers, exactly the task's declared metrics. */
  (
    | { kind: 'ok'; metrics: Metrics }
    /** The submission is at fault: message for the agent. */
    | {
        kind: 'rejected';
        message: string;
        /** It timed out because the machine was far too busy; absent: no. */
        starved?: boolean;
      }
    /** The evaluator is at fault: message for people and logs. The agent learns only that the evaluation failed. */
    | { kind: 'evaluator_error'; message: string }
  ) & {
    /** Of the image in which it was found out; absent where there is none. */
    imageDigest?: string;
  };

/** Clean-room evaluation, one split at a time. Every adapter passes test/engine/evaluator-port. */
export interface EvaluatorPort {
  readonly isolation: Isolation;
  /** Run the task's evaluator on the submission in a fresh sandbox; leaves nothing behind. Throws InfrastructureError. */
  evaluate(job: EvaluationJob, signal: AbortSignal): Promise<EvaluationOutcome>;
}
