import type { IntegrityMark } from '../integrity-rules.js';
import type { ModelKind, SamplingParameters, TokenUsage } from '../model.js';
import type { EndReason, FinalEvaluation, RunStatus } from '../outcomes.js';
import type { Backend, EvaluationKind, EvaluationStatus, Isolation, Origin } from '../run.js';
import type { Direction, Metrics } from '../score.js';
import type { TaskNetwork } from '../task-network.js';
import type { Split } from '../task.js';
import type { ProviderTrouble } from './provider-trouble.js';

export interface RunSummary {
  runId: string;
  batchId: string;
  /** Whose harness played it. */
  origin: Origin;
  model: string;
  modelKind: ModelKind;
  task: string;
  attempt: number;
  status: RunStatus;
  endReason: EndReason | null;
  finalEvaluation: FinalEvaluation | null;
  /** What MLGym would have written, or wrote if it played the run; null until the run has ended. */
  exitStatus: string | null;
  /** For people: what failed. */
  detail: string | null;
  steps: number;
  maxSteps: number;
  costUsd: string;
  primary: string;
  direction: Direction;
  /** Over all evaluations that were ok, suspect ones included. */
  bestScore: number | null;
  /** Of the evaluation at submit or at a forced end. */
  finalScore: number | null;
  evaluations: number;
  suspect: number;
  /** Its task's data are a stand-in. */
  sample: boolean;
  /** The budget of its task that it has; null: the task's own. */
  profile: string | null;
  /** What the integrity rules found, once the run has ended: docs/concepts/integrity.md. */
  marks: IntegrityMark[];
  backend: Backend;
  /** Null until the sandbox has stood. */
  isolation: Isolation | null;
  host: string | null;
  epoch: number;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  updatedAt: string;
}

export interface RunFilter {
  batchId?: string | undefined;
  models?: string[] | undefined;
  tasks?: string[] | undefined;
  statuses?: RunStatus[] | undefined;
  endReasons?: EndReason[] | undefined;
  /** Newest first, at most this many; default 1000. */
  limit?: number | undefined;
}

export interface EvaluationDetail {
  step: number;
  kind: EvaluationKind;
  /** `test`, which leaderboards use, or `validation`, which the agent is shown. */
  split: Split;
  number: number;
  status: EvaluationStatus;
  metrics: Metrics | null;
  primary: number | null;
  suspect: boolean;
  /** What the agent was told. */
  message: string;
  /** What failed, of an `evaluator_error`: `referee.py:41: KeyError: 'id'`. For the task's author, never for the agent. */
  fault: string | null;
  submissionSha256: string | null;
  /** Of a forced end: the step whose validate the submission is from; null: it was in the workspace. */
  fromStep: number | null;
  isolation: Isolation;
  ms: number;
  at: string;
}

export interface RunDetail extends RunSummary {
  seed: number;
  agent: string;
  agentHash: string;
  taskHash: string;
  contract: number;
  provider: string;
  providerModel: string;
  sampling: SamplingParameters;
  wallSeconds: number;
  gpus: number;
  workspace: string | null;
  imageDigest: string | null;
  evaluatorImageDigest: string | null;
  /** What the task gives to the agent's container; null of imported runs, of which that is not known. */
  limits: { workspaceMb: number; memoryMb: number; cpus: number; pids: number } | null;
  /** How the workspace's size is kept within its limit; null: not at all, or not begun. */
  workspaceLimit: 'file_system' | 'watched' | null;
  network: TaskNetwork | null;
  /** May the agent use the task's memory, and how many records it held when the run began. */
  memory: boolean;
  memoryRecords: number | null;
  harnessVersion: string;
  replaces: string | null;
  /** The run that this one is a fork of, and the step after which their ways part. */
  forkedFrom: string | null;
  forkedAtStep: number | null;
  shard: number;
  usage: TokenUsage;
  /** Of imported runs: as their harness recorded it, null where it did not; it has no rows of calls. */
  modelCalls: number | null;
  /** What keeps it waiting for its model's answer; null: nothing does. */
  providerError: ProviderTrouble | null;
  /** Where its calls went, host and path, and how many; the most used first. */
  endpoints: { endpoint: string; calls: number }[];
  /** Of imported runs: the cost in US dollars that their harness wrote, by its own price list. */
  recordedCostUsd: string | null;
  baseline: number | null;
  /** In order of their numbers; of one number `validation` first. */
  evaluationList: EvaluationDetail[];
}
