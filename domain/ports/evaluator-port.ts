import type { Isolation } from '../run/run.js';
import type { Metrics } from '../run/score.js';
import type { Split, TaskSpec } from '../task/task.js';
import type { SubmissionFile } from './sandbox-port.js';

export interface EvaluationJob {
  /** Unique per evaluation and stable over retries; names the container. [a-z0-9-] only. */
  id: string;
  task: TaskSpec;
  /** Host folder of the task; its `evaluator/` holds the secret files. */
  taskDir: string;
  submission: SubmissionFile[];
  /** Selects the task's secrets. */
  split: Split;
  /** Hex; the evaluator's only randomness: the same job gives the same metrics. */
  seed: string;
  /** Absent: it sees none. */
  gpus?: {
    devices: string[];
    /** Checked again when its container exists: another run may have got them meanwhile. */
    stillLeased: () => Promise<boolean>;
  };
}

export type EvaluationOutcome =
  /** Finite numbers, exactly the task's declared metrics. */
  (
    | { kind: 'ok'; metrics: Metrics }
    /** The submission is at fault; `message` is for the agent. */
    | {
        kind: 'rejected';
        message: string;
        /** It timed out on an overloaded machine; absent: no. */
        starved?: boolean;
      }
    /** The evaluator is at fault; `message` is for people. The agent learns only that it failed. */
    | { kind: 'evaluator_error'; message: string }
  ) & {
    /** Of the evaluator's image; absent: no image. */
    imageDigest?: string;
  };

/** Clean-room evaluation of one split. Every adapter passes test/engine/evaluator-port. */
export interface EvaluatorPort {
  readonly isolation: Isolation;
  /** Runs in a fresh sandbox and leaves nothing behind. Throws InfrastructureError. */
  evaluate(job: EvaluationJob, signal: AbortSignal): Promise<EvaluationOutcome>;
  /** Ends the evaluations of a run, whose GPUs another may get. Absent: they get no GPUs. */
  endOf?(runId: string): Promise<void>;
}
