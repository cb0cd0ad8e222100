import type { EndCause } from '../run/end-cause.js';
import type { EndReason } from '../run/outcomes.js';
import type { GpuHost, OpenLease } from '../ports/record/leases.js';
import type { RunClock } from '../run/clock.js';
import type { EvaluationKind, EvaluationStatus, Requested, RunEnd, RunTicket } from '../run/run.js';
import type { TreeStop } from '../tree/budget.js';

/** Inputs and results of workflows and activities: ids and small numbers; Postgres has content. */

export interface BatchInput {
  batchId: string;
  /** Absent: the batch starts, or starts again. */
  carried?: CarriedBatch;
  /** Absent: CONTINUE_BATCH_AFTER_EVENTS. */
  continueAfterEvents?: number;
}
export interface CarriedBatch {
  shards: { shard: number; held: number; drains: boolean }[];
  free: number;
  /** That the free slots are based on. */
  concurrency: number;
  paused: boolean;
  runs: number;
}
/** From its rows. */
export interface BatchState {
  concurrency: number;
  paused: boolean;
  /** With unfinished runs, in order. */
  openShards: number[];
  /** May add attempts when all runs have ended; absent (earlier versions): no. */
  allocates?: boolean;
}
export interface ShardInput {
  batchId: string;
  shard: number;
  /** In flight at once, until the batch grants more. */
  slots: number;
  /** Unused slots return to the batch in such portions. */
  slotsPerReturn: number;
  paused: boolean;
}
/** Nodes of a search tree that are played together. */
export interface Wave {
  /** Of unfinished runs. */
  tickets: RunTicket[];
  /** Runs to settle. */
  ended: string[];
}
export interface ChosenNode {
  /** False: no node has a score. */
  chosen: boolean;
  stopped: TreeStop | null;
  /** Of the node opened last. */
  lastEnd: EndReason | null;
  /** If that node ended by no fault of its agent; absent (earlier versions): unknown. */
  lastCause?: EndCause | null;
}
export interface BatchResult {
  runs: number;
}

/** The workflow passes it from activity to activity. */
export interface RunProgress {
  epoch: number;
  /** Next step, from 1. */
  step: number;
  /** Time of models, commands and evaluations so far. */
  elapsedMs: number;
  /** The run ends before its next step; its submission is not evaluated yet. */
  ending: EndReason | null;
}
export interface RunPlace {
  hostId: string;
  devices: string[];
  /** Of the devices' lease; absent: none. */
  token?: number;
}
export interface CarriedRun {
  progress: RunProgress;
  place: RunPlace;
  /** Grants up to this lease token belong to released leases. */
  lastToken: number;
  /** Moves from hosts that left as announced; they do not count as losses. */
  handedOn: number;
  /** Activities so far: they number the attempts at the run's steps. */
  turns: number;
}

export interface AnsweredTurn {
  step: number;
  try: number;
}

export interface Lease {
  token: number;
  hostId: string;
  devices: string[];
}
export interface LeaseRequest {
  runId: string;
  gpus: number;
  /** Batches take turns. */
  batchId: string;
  priority: number;
  /** Only hosts that offer it. */
  backend: string;
  /** The lease is revoked after this time; absent: never. */
  ttlSeconds?: number;
  /** Longest time to the run's end: excludes hosts that leave before; absent: any host. */
  seconds?: number;
}

interface PoolRoundArgs {
  /** Holders and first waiters: which of their workflows are closed? */
  runIds: string[];
  /** Leases on lost hosts: which are not free yet? */
  lostTokens: number[];
}
interface PoolRoundResult {
  closed: string[];
  lostTokens: number[];
  hosts: GpuHost[];
  /** Where containers can be removed. */
  liveHosts: string[];
  /** That will not return. */
  removedHosts: string[];
}

// --- activities

export interface StartContainerArgs {
  runId: string;
  epoch: number;
  devices: string[];
  /** After a lost container: rerun the recorded commands of steps 1..n. 0: none. */
  replayThrough: number;
  /** Of the devices' lease; absent: none. A revoked lease is refused. */
  token?: number;
  /** Why the previous container was lost; absent: none, or unknown. */
  because?: string;
  /** The previous host, which left as announced. */
  handedOnBy?: string;
}
export interface NextActionResult {
  /**
   * `end`: the agent cannot continue (no usable reply, context exceeded, …). `wait`: retry later.
   * `asked`: retry at the signal `turnAnswered`. Both stop the run's clock.
   */
  kind: 'action' | 'end' | 'wait' | 'asked';
  endReason: EndReason | null;
  ms: number;
  waitMs?: number;
  /** Of `asked`: the turn's try. */
  try?: number;
}
interface NextActionArgs {
  runId: string;
  step: number;
  epoch: number;
  fence: string;
  /** Deadline of the turn, epoch milliseconds; null: never. */
  endsBy: number | null;
}
export interface ExecuteCommandArgs {
  runId: string;
  step: number;
  epoch: number;
  timeLimitSeconds: number;
  fence: string;
}
export interface ExecuteCommandResult {
  requested: Requested;
  exitCode: number | null;
  timedOut: boolean;
  ms: number;
}
export interface RunProgramArgs {
  runId: string;
  epoch: number;
  /** Of the whole program, from its start. */
  timeLimitSeconds: number;
  /** The step of the requested validation. */
  answer?: { number: number; step: number };
}
export type RunProgramResult =
  /** `number`: for the answer. */
  | { kind: 'validate'; step: number; number: number }
  | { kind: 'submit'; step: number; ms: number }
  | { kind: 'ended'; step: number; ms: number; endReason: EndReason };
export interface PlayStepsArgs extends RunClock {
  runId: string;
  epoch: number;
  /** First step; already recorded steps from there on count as taken. */
  step: number;
  maxSteps: number;
  provider: string;
  /** Steps between snapshots; 0: none. */
  snapshotEvery: number;
  /** Take a snapshot after the step before. */
  keep?: SnapshotReason;
  /** Grows with each activity of the workflow; its attempt is appended: see StepLog.takeOver. */
  fence: string;
}
export type SliceEnd =
  /** Its time is over; more steps follow. */
  | { kind: 'more' }
  /**
   * The turn needs its own activity: it is long, it failed and is retried, or (not `here`) another
   * worker calls the model. `afterMs`: the pause before it.
   */
  | { kind: 'turn'; here: boolean; afterMs: number }
  /** The command needs its own activity: it is long, or it failed and is retried. */
  | { kind: 'command'; timeLimitSeconds: number; afterMs: number }
  | { kind: 'evaluate'; requested: 'validate' | 'submit' }
  | { kind: 'ending'; reason: EndReason }
  | { kind: 'wait'; waitMs: number }
  /** Until the signal `turnAnswered` or, in `deadlineMs`, the deadline; null: none. */
  | { kind: 'asked'; try: number; deadlineMs: number | null }
  | { kind: 'lost'; because: string };
export interface SliceResult {
  /** Next step, or the one whose turn, command or evaluation is due. */
  step: number;
  /** Of all steps before, and of an evaluation's own step. */
  elapsedMs: number;
  end: SliceEnd;
}
export interface SnapshotArgs {
  runId: string;
  /** The workspace's last step. */
  step: number;
  epoch: number;
  reason: SnapshotReason;
  /** Of the slice that takes it; absent: no command can start meanwhile. */
  fence?: string;
}
export type SnapshotReason = 'validate' | 'interval' | 'leaving';
/** For a forced end: other submissions are taken with the requesting command. */
export interface TakeSubmissionArgs {
  runId: string;
  step: number;
  epoch: number;
  kind: 'forced';
}
export interface EvaluateArgs {
  runId: string;
  step: number;
  epoch: number;
  kind: EvaluationKind;
}
export interface EvaluateResult {
  /** On the shown split, if `evaluateHidden` has yet to run the test. */
  status: EvaluationStatus;
  primary: number | null;
  ms: number;
}
export interface EvaluateHiddenResult {
  /** Call again. */
  more: boolean;
  /** Of the run's final submission, when `more` is false; null: none. */
  final: EvaluationStatus | null;
}

/** On the control queue: Postgres, and Temporal's own client. */
export interface ControlActivities {
  loadShard(args: { batchId: string; shard: number }): Promise<RunTicket[]>;
  startBatch(args: { batchId: string }): Promise<void>;
  batchState(args: { batchId: string }): Promise<BatchState>;
  /** For an ended batch that allocates attempts: adds some where they settle most, or none. */
  nextAttempts(args: { batchId: string }): Promise<{ added: number }>;
  /** False: it has unfinished runs. Cancelled: ends runs that never started. */
  finishBatch(args: { batchId: string; cancelled: boolean }): Promise<boolean>;
  finishRun(args: { runId: string; end: RunEnd }): Promise<void>;
  /** The same end for all unfinished ones. */
  finishRuns(args: { runIds: string[]; end: RunEnd }): Promise<void>;
  waitingForGpu(args: { runId: string }): Promise<void>;
  /**
   * Choose and store the run's host (`hostId`: from a lease). Retried while no host can take the
   * run; fails for good with hostRefuses. `epoch` may be higher. `start`: also start the container
   * if the host is this worker's; `lost`: why it died. Other failures are left to `startContainer`.
   */
  placeRun(args: {
    runId: string;
    epoch: number;
    hostId?: string;
    /** Longest time to the run's end; absent: unknown. */
    seconds?: number;
    start?: Omit<StartContainerArgs, 'runId' | 'epoch'>;
  }): Promise<{ hostId: string; epoch: number; started?: boolean; lost?: string }>;
  /** No worker took an activity from the host's queue: must the run move? */
  judgeHost(args: { runId: string; hostId: string; epoch: number }): Promise<'keep' | 'lost' | 'left'>;
  /** Starts the pool if it is not running. */
  requestLease(request: LeaseRequest): Promise<void>;
  /** PostgreSQL's index refuses a leased GPU. False: it was revoked meanwhile. */
  recordLease(args: { runId: string; lease: Lease }): Promise<boolean>;
  /** The host is lost: its GPUs are not leased until it is back or removed. */
  abandonLease(args: { runId: string; lease: Lease }): Promise<void>;
  /** `hostsChanged`: the pool checks its hosts before it leases those GPUs again. */
  releaseLease(args: { runId: string; token: number | null; hostsChanged?: true }): Promise<void>;
  /** For a new pool. */
  openLeases(): Promise<{ leases: OpenLease[]; nextToken: number }>;
  poolRound(args: PoolRoundArgs): Promise<PoolRoundResult>;
  /** Before a lease's containers are removed by force, so that no new ones start with it. */
  revokeLease(args: { runId: string; lease: Lease; reason: 'closed' | 'expired' }): Promise<void>;
  /** By its row. */
  runEnded(args: { runId: string }): Promise<boolean>;
  openNodes(args: { runId: string }): Promise<Wave>;
  settleNode(args: { nodeRunId: string }): Promise<void>;
  /** The tree's run takes over its best node's submission, if any has a score. */
  chooseNode(args: { runId: string }): Promise<ChosenNode>;
  closeTree(args: { runId: string }): Promise<void>;
  /** By their rows. */
  shardEnded(args: { batchId: string; shard: number }): Promise<boolean>;
}

export interface ScheduledInput {
  schedule: string;
}
/** One time of a schedule; `dueAt` is ISO 8601 in UTC. */
export type ScheduledAt = ScheduledInput & { dueAt: string };

/** On the control queue. */
export interface ScheduleActivities {
  /** Once for each time. Null: the schedule is gone, or the batch could not be submitted. */
  submitScheduled(at: ScheduledAt): Promise<{ batchId: string | null }>;
  /** Retried until the batch has ended. */
  decideScheduled(at: ScheduledAt): Promise<void>;
}

/** On a host's queue. */
export interface HostActivities {
  startContainer(args: StartContainerArgs): Promise<void>;
  /** `end`: the run ends with it, once nothing of its agent is left here. */
  stopContainer(args: { runId: string; end?: RunEnd }): Promise<void>;
  /** Takes and records steps, up to the slice's time. Idempotent: a retry finds the record. */
  playSteps(args: PlayStepsArgs): Promise<SliceResult>;
  /** A long turn, in the worker where a slice began it. */
  nextAction(args: NextActionArgs): Promise<NextActionResult>;
  /** Also takes the submission for a requested evaluation. */
  executeCommand(args: ExecuteCommandArgs): Promise<ExecuteCommandResult>;
  /** Until it requests a validation or ends. Idempotent: it finds a running program. */
  runProgram(args: RunProgramArgs): Promise<RunProgramResult>;
  /** Once, from the workspace as it is. */
  takeSubmission(args: TakeSubmissionArgs): Promise<void>;
  evaluate(args: EvaluateArgs): Promise<EvaluateResult>;
  /** The run's next submission. Ends the sandbox first: no agent process is left. */
  evaluateHidden(args: { runId: string }): Promise<EvaluateHiddenResult>;
  /** A failure is an event. */
  snapshot(args: SnapshotArgs): Promise<void>;
}
/** On a provider's queue. */
export interface ModelActivities {
  nextAction(args: NextActionArgs): Promise<NextActionResult>;
}

/** Types of ApplicationFailures that workflows distinguish. */
export const FAILURE = {
  /** Start a new epoch. */
  sandboxLost: 'SandboxLost',
  /** Only the operator can fix it: the run ends as config_error. */
  config: 'ConfigError',
  /** The run or its lease has moved on; work for an earlier epoch stops. */
  stale: 'Stale',
  /** The run moves to another host. */
  hostLeft: 'HostLeft',
  /** No host can take the run now. */
  noHost: 'NoHost',
  /** The leased GPUs' host takes no runs now: the run requests others. */
  hostRefuses: 'HostRefuses',
} as const;

/** Names the failed part; without it, the activity does. */
export interface FailedPart {
  part: EndCause;
}

export const SIGNAL = {
  /** To a batch: its rows were changed from outside. */
  batchChanged: 'batchChanged',
  /** To a batch from a shard: { slots } without runs. */
  slotsReturned: 'slotsReturned',
  /** To a batch: { shard, runs }. A fresh history is not the parent of earlier shards. */
  shardEnded: 'shardEnded',
  /** To a shard: { slots } more. */
  slotsGranted: 'slotsGranted',
  /** To a shard: { paused }. */
  pause: 'pause',
  leaseGranted: 'leaseGranted',
  /** To a run: the answer to { step, try } is in Postgres. */
  turnAnswered: 'turnAnswered',
  hostsChanged: 'hostsChanged',
  requestLease: 'requestLease',
  releaseLease: 'releaseLease',
  abandonLease: 'abandonLease',
} as const;
