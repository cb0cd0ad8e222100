import type { AgentConfig } from '../agent/config.js';
import type { StoredImage } from '../model/images.js';
import type { EndCause } from './end-cause.js';
import type { ModelRef, SamplingParameters } from '../model/model.js';
import type { EndReason, FinalEvaluation } from './outcomes.js';
import type { KeptOptions } from '../requests/run-options.js';
import type { Metrics } from './score.js';
import type { TaskSpec } from '../task/task.js';
import type { ToolState } from '../agent/tool-state.js';

/** Played here, imported from an MLGym run directory, or exported by another home. */
export const ORIGINS = ['bench', 'mlgym', 'import'] as const;
export type Origin = (typeof ORIGINS)[number];

export const BACKENDS = ['docker', 'podman', 'local'] as const;
export type Backend = (typeof BACKENDS)[number];
/** From the host, the labels and the other runs. */
export type Isolation = 'container' | 'none';
/** Sandbox limits of a task, apart from the workspace's size. */
export const LIMIT_KINDS = ['memory', 'cpus', 'processes'] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/** A run as submitted: fixed, read by activities from Postgres. */
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
  /** An episode's policy version with its group or seed: equal submissions get equal draws. */
  drawGroup?: string;
  maxSteps: number;
  /** 0: no limit. */
  wallSeconds: number;
  /** US dollars as an exact decimal string; null or absent: no limit. */
  costLimitUsd?: string | null;
  backend: Backend;
  gpus: number;
  /** The data are a stand-in: docs/guides/writing-a-task.md. Absent: false. */
  sample?: boolean;
  /** Its batch verifies tasks. Absent: false. */
  verification?: boolean;
  /** How often `validate` is scored; null or absent: always. */
  maxValidations?: number | null;
  /** Begins with another run's first steps. */
  forkedFrom?: ForkPoint;
  /** A node of a search tree: ends with its first evaluation, on a visible split. Absent: false. */
  node?: boolean;
  /** Of a draft: what follows the task in its prompt; see draftNote. Absent: nothing. */
  draftNote?: string;
}

interface ForkPoint {
  runId: string;
  step: number;
}

/** What workflows need: payloads are ids and small numbers. */
export interface RunTicket extends KeptOptions {
  runId: string;
  batchId: string;
  provider: string;
  gpus: number;
  commandSeconds: number;
  evaluationSeconds: number;
  wallSeconds: number;
  /** Of its batch, while it waits for GPUs: 1 (first) to 5 (last). */
  priority: number;
  copiedSteps: number;
  /** The task has a validation split: the test is scored after the sandbox has ended. */
  hiddenSplit: boolean;
  /** Evaluations need the run's GPUs; absent: they need none. */
  evaluatorGpu?: boolean;
  /** Its agent is a program in the sandbox; absent: our loop plays. */
  program?: boolean;
  /** Plays a tree of forks, each its own run; absent: one line. */
  search?: boolean;
  /** A fork opens as soon as another has ended; absent: when all of its wave have. */
  asynchronous?: boolean;
  /** It is such a fork, which ends with its first evaluation; absent: it is none. */
  node?: boolean;
  /** Where its GPUs must be usable. */
  backend: Backend;
  /** Epoch milliseconds of its deadline; null or absent: none. */
  endsBy?: number | null;
}

/** The agent's request through the sandbox's own channel during a command. */
export type Requested = 'validate' | 'submit' | null;

/** `thought`/`action` come from the reply, the rest from the command. */
export interface StepRecord {
  step: number;
  response: string;
  /** What the model wants back with the reply's tool calls; null or absent: nothing. */
  reasoning?: string | null;
  thought: string;
  /** Null: no reply could be parsed, so the run ended by format. */
  action: string | null;
  observation: string | null;
  exitCode: number | null;
  timedOut: boolean;
  lost: boolean;
  outputBytes: number | null;
  requested: Requested;
  workingDir: string | null;
  /** State of the special commands; null or absent: none. */
  toolState?: ToolState | null;
  /** Milliseconds. */
  commandMs: number | null;
  /** Milliseconds of all replies of the step. */
  modelMs: number | null;
}

export type ShownStep = Pick<
  StepRecord,
  'step' | 'response' | 'reasoning' | 'observation' | 'exitCode' | 'timedOut' | 'workingDir' | 'toolState'
> &
  /** Absent: it is no summary. */
  Partial<Pick<StepRecord, 'action'>>;

/** For a rerun of the command and its comparison. */
export type RecordedCommand = Pick<StepRecord, 'step' | 'exitCode' | 'timedOut' | 'lost' | 'commandMs'> & {
  action: string;
};

export interface ObservedCommand {
  observation: string;
  exitCode: number | null;
  timedOut: boolean;
  lost: boolean;
  outputBytes: number;
  requested: Requested;
  workingDir: string;
  /** State of the special commands; null or absent: none. */
  toolState?: ToolState | null;
  /** That the agent looked at; absent: none. */
  images?: readonly StoredImage[];
  /** New records for the task's memory; kept only for runs that have one. */
  memories?: readonly string[];
  commandMs: number;
}

export const EVALUATION_KINDS = ['validate', 'submit', 'forced', 'baseline'] as const;
export type EvaluationKind = (typeof EVALUATION_KINDS)[number];
export const EVALUATION_STATUSES = ['ok', 'no_artefact', 'rejected', 'evaluator_error'] as const;
export type EvaluationStatus = (typeof EVALUATION_STATUSES)[number];

export interface SplitScore {
  status: EvaluationStatus;
  metrics: Metrics | null;
  /** metrics[task.primary] */
  primary: number | null;
  suspect: boolean;
  /** For people; the agent's is `shown`. */
  message: string;
}

/** Files are named by the SHA-256 of their manifest in the artifact store. */
export type TakenSubmission =
  | { kind: 'files'; sha256: string }
  | { kind: 'missing'; paths: string[] }
  | { kind: 'refused'; reason: string };

/** As leaderboards see it: on the split `test`. */
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
  /** For people: what failed, for infra_error and config_error. */
  detail: string | null;
  /** For infra_error and config_error; absent: unknown. */
  cause?: EndCause;
}
