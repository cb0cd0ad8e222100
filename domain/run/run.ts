import type { AgentConfig } from '../agent/config.js';
import type { EndCause } from './end-cause.js';
import type { ModelRef, SamplingParameters } from '../model/model.js';
import type { EndReason, FinalEvaluation } from './outcomes.js';
import type { KeptOptions } from '../requests/run-options.js';
import type { Metrics } from './score.js';
import type { TaskSpec } from '../task/task.js';
import type { ToolState } from '../agent/tool-state.js';

/** Where the record of a run is from: played here, a run directory of MLGym, or a line that another home exported. Of the latter two only the record is here. */
export const ORIGINS = ['bench', 'mlgym', 'import'] as const;
export type Origin = (typeof ORIGINS)[number];

export const BACKENDS = ['docker', 'podman', 'local'] as const;
export type Backend = (typeof BACKENDS)[number];
/** How well the backend keeps the agent apart from the host, the labels and the other runs. */
export type Isolation = 'container' | 'none';
/** Limits of a task on what its sandbox takes, the workspace's size excepted. */
export const LIMIT_KINDS = ['memory', 'cpus', 'processes'] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];
/** As scores are compared by it; `import`: this installation does not know how the run was isolated. */
export type ScoredIsolation = Isolation | 'import';

/** Everything that a run was submitted with: fixed from then on, read by activities from Postgres. */
export interface RunDefinition extends Partial<KeptOptions> {
  runId: string;
  batchId: string;
  model: ModelRef;
  sampling: SamplingParameters;
  task: TaskSpec;
  taskHash: string;
  agentName: string;
  agentHash: string;
  agent: AgentConfig;
  attempt: number;
  /** Batch seed + attempt. */
  seed: number;
  /** Of an episode: its policy's version with its group or seed. Equal submissions of one group meet the same draws. */
  drawGroup?: string;
  maxSteps: number;
  /** Wall time of the run, seconds; 0 = no limit. */
  wallSeconds: number;
  /** Most that the run may spend on model calls, US dollars as an exact decimal string; null or absent: no limit. */
  costLimitUsd?: string | null;
  backend: Backend;
  gpus: number;
  /** The task's data are a stand-in: docs/guides/writing-a-task.md.. Absent: they are not. */
  sample?: boolean;
  /** Its batch verifies tasks. Absent: it does not. */
  verification?: boolean;
  /** How often `validate` is scored; null or absent: as often as it is asked for. */
  maxValidations?: number | null;
  /** The run begins with the first steps of another one. */
  forkedFrom?: ForkPoint;
  /** A node of a search tree: it ends with its first evaluation, which is on what its agent may see. Absent: it is none. */
  node?: boolean;
}

/** A run as it was after one of its steps. */
interface ForkPoint {
  runId: string;
  step: number;
}

/** The small part of a definition that workflows need. Payloads are ids and small numbers. */
export interface RunTicket extends KeptOptions {
  runId: string;
  batchId: string;
  provider: string;
  gpus: number;
  commandSeconds: number;
  evaluationSeconds: number;
  wallSeconds: number;
  /** Of its batch, when it waits for GPUs: 1 (first) to 5 (last). */
  priority: number;
  /** Steps that were copied from another run. */
  copiedSteps: number;
  /** Its task has a validation split: the test is scored when the sandbox has ended. */
  hiddenSplit: boolean;
  /** Its agent is a program that runs in the sandbox; absent: our loop plays. */
  program?: boolean;
  /** It plays a tree of forks, each a run of its own; absent: one line. */
  search?: boolean;
  /** It is such a fork, which ends with its first evaluation; absent: it is none. */
  node?: boolean;
  /** Where its GPUs must be usable. */
  backend: Backend;
  /** When the run ends at the latest, epoch milliseconds; null or absent: no deadline. */
  endsBy?: number | null;
}

/** What the agent asked for through the sandbox's own channel during a command. */
export type Requested = 'validate' | 'submit' | null;

/** One step as stored. `thought`/`action` come from the reply, the rest from the command that ran. */
export interface StepRecord {
  step: number;
  response: string;
  thought: string;
  /** Null: no reply of this step could be parsed, the run ended by format. */
  action: string | null;
  observation: string | null;
  exitCode: number | null;
  timedOut: boolean;
  lost: boolean;
  outputBytes: number | null;
  requested: Requested;
  workingDir: string | null;
  /** What the special commands remember after this step; null or absent: nothing. */
  toolState?: ToolState | null;
  /** The command's own time, milliseconds. */
  commandMs: number | null;
  /** The model's own time over all replies of the step, milliseconds. */
  modelMs: number | null;
}

/** What prompts show of a step. */
export type ShownStep = Pick<
  StepRecord,
  'step' | 'response' | 'observation' | 'exitCode' | 'timedOut' | 'workingDir' | 'toolState'
>;

/** What a rerun of a step's command needs, and is compared with. */
export type RecordedCommand = Pick<StepRecord, 'step' | 'exitCode' | 'timedOut' | 'lost' | 'commandMs'> & {
  action: string;
};

/** A command's end, as stored with its step. */
export interface ObservedCommand {
  observation: string;
  exitCode: number | null;
  timedOut: boolean;
  lost: boolean;
  outputBytes: number;
  requested: Requested;
  workingDir: string;
  /** What the special commands remember from now on; null or absent: nothing. */
  toolState?: ToolState | null;
  /** What the agent put into its task's memory; kept only for runs that have one. */
  memories?: readonly string[];
  commandMs: number;
}

export const EVALUATION_KINDS = ['validate', 'submit', 'forced', 'baseline'] as const;
export type EvaluationKind = (typeof EVALUATION_KINDS)[number];
export const EVALUATION_STATUSES = ['ok', 'no_artefact', 'rejected', 'evaluator_error'] as const;
export type EvaluationStatus = (typeof EVALUATION_STATUSES)[number];

/** Result of a submission on one split. */
export interface SplitScore {
  status: EvaluationStatus;
  metrics: Metrics | null;
  /** metrics[task.primary] */
  primary: number | null;
  suspect: boolean;
  /** For people; the agent's is `shown`. */
  message: string;
}

/** What was copied out of the workspace for an evaluation: files, by the SHA-256 of their manifest in the artifact store, or why not. */
export type TakenSubmission =
  | { kind: 'files'; sha256: string }
  | { kind: 'missing'; paths: string[] }
  | { kind: 'refused'; reason: string };

/** An evaluation as leaderboards see it: on the split `test`. */
export interface EvaluationRecord extends SplitScore {
  runId: string;
  step: number;
  kind: EvaluationKind;
  submissionSha256: string | null;
  ms: number;
}

export interface RunEnd {
  endReason: EndReason;
  finalEvaluation: FinalEvaluation;
  /** One line for people: what failed, for infra_error and config_error. */
  detail: string | null;
  /** What failed, for infra_error and config_error; absent: unknown. */
  cause?: EndCause;
}
