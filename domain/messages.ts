import type { EndReason } from './outcomes.js';
import type { EvaluationKind, EvaluationStatus, Requested, RunEnd, RunTicket } from './run.js';

/** Inputs and results of workflows and activities. Ids and small numbers only: content lives in Postgres. */

export interface BatchInput {
  batchId: string;
  shards: number;
  /** Runs in flight at once over the whole batch. */
  concurrency: number;
}
export interface ShardInput {
  batchId: string;
  shard: number;
  window: number;
}
export interface BatchResult {
  runs: number;
}

export interface AgentLoopInput {
  ticket: RunTicket;
  hostId: string;
  devices: string[];
  epoch: number;
  /** Step to take next, from 1. */
  step: number;
  /** Time on the run's clock so far: models', commands' and evaluations' own time. */
  elapsedMs: number;
  /** The run ends before its next step: its submission is still to be evaluated. */
  ending: EndReason | null;
  /** Leave for a fresh history after so many events; only tests make it small. */
  continueAfterEvents: number;
}
export interface AgentLoopResult {
  end: RunEnd;
  step: number;
}

export interface Lease {
  token: number;
  hostId: string;
  devices: string[];
}
export interface LeaseRequest {
  runId: string;
  gpus: number;
  /** Batches take turns; absent: one nameless batch. */
  batchId?: string;
  /** 1 (first) to 5 (last); absent: 3. */
  priority?: number;
}

// --- activities

export interface StartContainerArgs {
  runId: string;
  epoch: number;
  devices: string[];
  /** After a lost container: rerun the recorded commands of steps 1..n in the new one. 0: nothing to replay. */
  replayThrough: number;
}
export interface NextActionResult {
  /** `end`: the agent cannot go on (no usable reply, context exceeded, …). */
  kind: 'action' | 'end';
  endReason: EndReason | null;
  ms: number;
}
export interface ExecuteCommandArgs {
  runId: string;
  step: number;
  epoch: number;
  timeLimitSeconds: number;
}
export interface ExecuteCommandResult {
  requested: Requested;
  exitCode: number | null;
  timedOut: boolean;
  ms: number;
}
export interface EvaluateArgs {
  runId: string;
  step: number;
  epoch: number;
  kind: EvaluationKind;
}
export interface EvaluateResult {
  status: EvaluationStatus;
  primary: number | null;
  ms: number;
}

/** On the control queue: Postgres, and Temporal's own client. */
export interface ControlActivities {
  loadShard(args: { batchId: string; shard: number }): Promise<RunTicket[]>;
  startBatch(args: { batchId: string }): Promise<void>;
  finishBatch(args: { batchId: string; cancelled: boolean }): Promise<void>;
  finishRun(args: { runId: string; end: RunEnd }): Promise<void>;
  waitingForGpu(args: { runId: string }): Promise<void>;
  /** Ask the pool for a lease; starts the pool if it does not run. */
  requestLease(request: LeaseRequest): Promise<void>;
  /** Write the grant to Postgres, whose constraint refuses a GPU that is held. */
  recordLease(args: { runId: string; lease: Lease }): Promise<void>;
  releaseLease(args: { runId: string; token: number | null }): Promise<void>;
  /** Of these runs, the ones whose workflow is closed. */
  closedRuns(args: { runIds: string[] }): Promise<string[]>;
  /** Has the run ended, by its row? */
  runEnded(args: { runId: string }): Promise<boolean>;
  /** Have all runs of the shard ended, by their rows? */
  shardEnded(args: { batchId: string; shard: number }): Promise<boolean>;
}
/** On the placement queue. */
export interface PlacementActivities {
  place(args: { runId: string }): Promise<string>;
}
/** On a host's queue. */
export interface HostActivities {
  startContainer(args: StartContainerArgs): Promise<void>;
  stopContainer(args: { runId: string }): Promise<void>;
  executeCommand(args: ExecuteCommandArgs): Promise<ExecuteCommandResult>;
  evaluate(args: EvaluateArgs): Promise<EvaluateResult>;
}
/** On a provider's queue. */
export interface ModelActivities {
  nextAction(args: { runId: string; step: number }): Promise<NextActionResult>;
}

/** Types of the ApplicationFailures that workflows tell apart. */
export const FAILURE = {
  /** The container is gone: start a new epoch. */
  sandboxLost: 'SandboxLost',
  /** Retrying cannot help and nobody but the operator can: ends the run as config_error. */
  config: 'ConfigError',
} as const;

export const SIGNAL = {
  leaseGranted: 'leaseGranted',
  registerHost: 'registerHost',
  requestLease: 'requestLease',
  releaseLease: 'releaseLease',
} as const;
