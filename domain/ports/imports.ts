import type { ExtraCall } from '../exchange/bench-extra.js';
import type { MlgymTask } from '../mlgym/tasks.js';
import type { ModelKind, SamplingParameters } from '../model/model.js';
import type { EndReason, FinalEvaluation } from '../run/outcomes.js';
import type { Backend, EvaluationKind, EvaluationStatus, Isolation, Requested } from '../run/run.js';
import type { Direction, Metrics } from '../run/score.js';
import type { ToolState } from '../agent/tool-state.js';

export type ImportOutcome =
  | { kind: 'imported'; runId: string; batchId: string; attempt: number; taskBaseline: number | null }
  /** The same content is already stored, in the batch of this name. */
  | { kind: 'existing'; runId: string; batchId: string; batch: string | null }
  /** The directory was imported into this batch before, with other content. */
  | { kind: 'changed'; runId: string; batchId: string };

export interface ImportOptions {
  /** Created if needed. */
  batch: string;
  /** Check everything, store nothing. */
  dryRun: boolean;
}

/** Known before the trajectory is read. */
export interface RecordedRun {
  /** The run directory's name. */
  source: string;
  contentHash: string;
  model: string;
  providerModel: string;
  taskId: string;
  task: MlgymTask;
  /** From 1; if another directory has it, the run gets the next free one. */
  attempt: number;
  agent: string;
  sampling: { temperature?: number; topP?: number };
  seed: number;
  /** 0: not recorded. */
  maxSteps: number;
  costLimitUsd: string | null;
  backend: Backend;
  gpus: number;
}

export interface RecordedStep {
  step: number;
  response: string;
  thought: string;
  action: string;
  observation: string | null;
  outputBytes: number | null;
  requested: Requested;
  /** After the step; null: not recorded. */
  workingDir: string | null;
  openFile: string | null;
  commandMs: number | null;
}

export interface RecordedEvaluation {
  step: number;
  kind: EvaluationKind;
  number: number;
  status: EvaluationStatus;
  metrics: Metrics | null;
  primary: number | null;
  suspect: boolean;
  message: string;
}

/** Known after all files were read. */
export interface RecordedEnd {
  steps: number;
  endReason: EndReason;
  finalEvaluation: FinalEvaluation;
  exitStatus: string | null;
  rawExitStatus: string | null;
  inputTokens: number;
  outputTokens: number;
  recordedCostUsd: string | null;
  recordedCalls: number | null;
  modelStats: Record<string, number> | null;
  bestScore: number | null;
  finalScore: number | null;
  evaluations: readonly RecordedEvaluation[];
  submission: string | null;
  workspace: string | null;
  /** The task's baseline, if it uses the task's metric. */
  baselineValue: number | null;
  baseline: Metrics | null;
  environment: string | null;
  args: unknown;
  prompt: { role: string; content: string }[] | null;
  /** Text that the model saw after each step's observation. */
  footers: (string | null)[] | null;
  historyMessages: number | null;
  lastAction: string | null;
}

export type StepWriter = (step: RecordedStep) => Promise<void>;

/** Reads a run's files and passes on its steps. */
export type ReadRun = (write: StepWriter) => Promise<{ end: RecordedEnd; remarks: readonly unknown[] }>;

interface ExchangedTask {
  id: string;
  name: string;
  metric: string;
  /** The file does not say which metric ranks, so another run of the task may. */
  assumed: boolean;
  direction: Direction;
  min: number | null;
  max: number | null;
}

/** A run from another tool's trajectory or log, without its steps. */
export interface ExchangedRecord {
  format: 'atif' | 'inspect';
  /** File, or sample in it, without parent folders. */
  source: string;
  contentHash: string;
  task: ExchangedTask;
  /** Task version that bench wrote into the file; used if this home knows it. */
  taskHash: string | null;
  model: { name: string; kind: ModelKind; provider: string; providerModel: string };
  agent: string;
  attempt: number;
  sampling: SamplingParameters;
  seed: number;
  maxSteps: number;
  backend: Backend;
  gpus: number;
  harnessVersion: string;
}

export interface ExchangedStepRow {
  step: number;
  response: string;
  thought: string;
  action: string | null;
  observation: string | null;
  exit_code: number | null;
  timed_out: boolean;
  lost: boolean;
  output_bytes: number | null;
  requested: Requested;
  working_dir: string | null;
  tool_state: ToolState | null;
  command_ms: number | null;
  model_ms: number | null;
  created_at: string | null;
  executed_at: string | null;
  calls: ExtraCall[];
}

interface ExchangedEvaluation {
  step: number;
  kind: EvaluationKind;
  split: string;
  number: number;
  status: EvaluationStatus;
  metrics: Metrics | null;
  primary: number | null;
  suspect: boolean;
  message: string;
  ms: number | null;
  submissionSha256?: string | null;
  fromStep?: number | null;
  at?: string | null;
}

/** Known after the file was read. */
export interface ExchangedEnd {
  steps: number;
  endReason: EndReason;
  finalEvaluation: FinalEvaluation;
  exitStatus: string | null;
  detail: string | null;
  usage: { input: number; output: number; cached: number; reasoning: number; cacheWrite: number };
  costUsd: string | null;
  bestScore: number | null;
  finalScore: number | null;
  evaluations: readonly ExchangedEvaluation[];
  /** Calls of missing steps. */
  calls: readonly ExtraCall[];
  workspace: string | null;
  isolation: Isolation | null;
  createdAt: string | null;
  startedAt: string | null;
  endedAt: string | null;
  prompt: { role: string; content: string }[];
  /** Original fields that have no column. */
  kept: Record<string, unknown>;
}

export type WriteExchanged = (step: ExchangedStepRow) => Promise<void>;

export type ReadExchanged = (write: WriteExchanged) => Promise<{ end: ExchangedEnd; remarks: readonly unknown[] }>;

/** Stores runs of other harnesses. */
export interface RunImports {
  /** Stores all of a run, or nothing; `read` returns its steps. */
  importRun(run: RecordedRun, options: ImportOptions, read: ReadRun): Promise<ImportOutcome>;
  /** For another tool's trajectory or log. */
  importExchanged(run: ExchangedRecord, options: ImportOptions, read: ReadExchanged): Promise<ImportOutcome>;
  /** Sets these models' prices in a list, replacing earlier ones. */
  setPrices(list: string, prices: Readonly<Record<string, { input: number; output: number }>>): Promise<void>;
}
