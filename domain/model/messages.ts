import type { EndCause } from '../run/end-cause.js';
import type { EndReason } from '../run/outcomes.js';
import type { GpuHost, OpenLease } from '../ports/record/leases.js';
import type { RunClock } from '../run/clock.js';
import type { EvaluationKind, EvaluationStatus, Requested, RunEnd, RunTicket } from '../run/run.js';
import type { TreeStop } from '../tree/budget.js';

/** Inputs and results of workflows and activities. Ids and small numbers only: content lives in Postgres. */

export interface BatchInput {
  batchId: string;
  /** From the history before this one; absent: the batch starts, or starts again. */
  carried?: CarriedBatch;
  /** A fresh history begins after so many events; absent: CONTINUE_BATCH_AFTER_EVENTS. */
  continueAfterEvents?: number;
}
/** What a batch takes along into a fresh history. */
export interface CarriedBatch {
  /** Of shards that run. */
  shards: { shard: number; held: number; drains: boolean }[];
  free: number;
  /** By which the free slots were counted, and which the shards have. */
  concurrency: number;
  paused: boolean;
  /** Played by shards that have ended. */
  runs: number;
}
/** A batch's state according to its rows. */
export interface BatchState {
  /** Runs in flight at once over the whole batch. */
  concurrency: number;
  paused: boolean;
  /** With runs that have not ended, in order. */
  openShards: number[];
  /** More attempts may be added when all runs have ended; absent: as versions before said it, no. */
  allocates?: boolean;
}
export interface ShardInput {
  batchId: string;
  shard: number;
  /** Runs in flight at once, until the batch gives more. */
  slots: number;
  /** How many unused slots go back to the batch at a time. */
  slotsPerReturn: number;
  paused: boolean;
}
/** Nodes of a search tree that are played at once. */
export interface Wave {
  /** Of those that have not ended. */
  tickets: RunTicket[];
  /** Runs that have, and are to be settled. */
  ended: string[];
}
export interface ChosenNode {
  /** False: no node has a score. */
  chosen: boolean;
  /** Null: nothing was opened. */
  stopped: TreeStop | null;
  /** Of the node that was opened last. */
  lastEnd: EndReason | null;
  /** What failed, if that node ended by no fault of its agent; absent: as versions before said it, unknown. */
  lastCause?: EndCause | null;
}
export interface BatchResult {
  runs: number;
}

/** How far a run is. Its workflow carries it from activity to activity. */
export interface RunProgress {
  epoch: number;
  /** Step to take next, from 1. */
  step: number;
  /** Time of the steps before: that of models, commands and evaluations. */
  elapsedMs: number;
  /** The run ends before its next step; its submission is yet to be evaluated. */
  ending: EndReason | null;
}
/** Where a run is played. */
export interface RunPlace {
  hostId: string;
  devices: string[];
  /** Of the lease that the devices come from; absent: none. */
  token?: number;
}
/** What a run's workflow carries into a fresh history. */
export interface CarriedRun {
  progress: RunProgress;
  place: RunPlace;
  /** Of the lease: grants up to this token belong to leases that were given up. */
  lastToken: number;
  /** Moves from hosts that left as announced: they count as no loss. */
  handedOn: number;
  /** Activities so far: they number the attempts at the run's steps. */
  turns: number;
}

/** Names one turn of a run. */
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
  /** 1 (first) to 5 (last). */
  priority: number;
  /** Only hosts that offer it. */
  backend: string;
  /** The lease is revoked after this many seconds, whatever its holder does; absent: never. */
  ttlSeconds?: number;
  /** What the run may take until its end: no host that leaves before; absent: any host. */
  seconds?: number;
}

/** The pool's periodic question. */
interface PoolRoundArgs {
  /** Holders and first waiters: which of their workflows are closed? */
  runIds: string[];
  /** Leases on lost hosts: which of them are not free yet? */
  lostTokens: number[];
}
interface PoolRoundResult {
  closed: string[];
  lostTokens: number[];
  /** Hosts that lease GPUs now. */
  hosts: GpuHost[];
  /** Hosts that are alive, where containers can be removed. */
  liveHosts: string[];
  /** Hosts that will not come back. */
  removedHosts: string[];
}

// --- activities

export interface StartContainerArgs {
  runId: string;
  epoch: number;
  devices: string[];
  /** After a lost container: rerun the recorded commands of steps 1..n in the new one. 0: nothing to replay. */
  replayThrough: number;
  /** Of the lease that the devices come from; absent: none. A revoked lease is refused. */
  token?: number;
  /** Why the previous container was lost; absent: there was none, or unknown. */
  because?: string;
  /** The previous container's host left as announced: which one. */
  handedOnBy?: string;
}
export interface NextActionResult {
  /**
   * `end`: the agent cannot go on (no usable reply, context exceeded, …). `wait`: ask again later, `asked`: when the signal `turnAnswered`
   * names this turn; both without any clock running.
   */
  kind: 'action' | 'end' | 'wait' | 'asked';
  endReason: EndReason | null;
  /** On the run's clock. */
  ms: number;
  /** Of `wait`: when to ask again. */
  waitMs?: number;
  /** Of `asked`: the turn's try. */
  try?: number;
}
interface NextActionArgs {
  runId: string;
  step: number;
  epoch: number;
  /** See PlayStepsArgs. */
  fence: string;
  /** The turn is given up then, epoch milliseconds; null: never. */
  endsBy: number | null;
}
export interface ExecuteCommandArgs {
  runId: string;
  step: number;
  epoch: number;
  timeLimitSeconds: number;
  /** See PlayStepsArgs. */
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
  /** The validation that it waits for was made at this step. */
  answer?: { number: number; step: number };
}
export type RunProgramResult =
  /** `number`: by which it is answered. */
  | { kind: 'validate'; step: number; number: number }
  | { kind: 'submit'; step: number; ms: number }
  | { kind: 'ended'; step: number; ms: number; endReason: EndReason };
export interface PlayStepsArgs extends RunClock {
  runId: string;
  epoch: number;
  /** First step to take; steps that are recorded from there on count as taken. */
  step: number;
  maxSteps: number;
  provider: string;
  /** Steps between snapshots; 0: none. */
  snapshotEvery: number;
  /** The workspace is to be kept as it is after the step before. */
  keep?: SnapshotReason;
  /** Grows with each activity of the run's workflow. The activity's attempt is added to it: see StepLog.takeOver. */
  fence: string;
}
/** Why a slice of steps is over. */
export type SliceEnd =
  /** It took its time; more steps follow. */
  | { kind: 'more' }
  /**
   * The step's turn is an activity of its own: it takes long, it failed and is retried, or (not `here`)
   * another worker calls the model. `afterMs`: the pause before it.
   */
  | { kind: 'turn'; here: boolean; afterMs: number }
  /** The step's command is an activity of its own: it takes long, or it failed and is retried. */
  | { kind: 'command'; timeLimitSeconds: number; afterMs: number }
  | { kind: 'evaluate'; requested: 'validate' | 'submit' }
  | { kind: 'ending'; reason: EndReason }
  | { kind: 'wait'; waitMs: number }
  /** Until the signal `turnAnswered` names this turn, or the deadline, which is so many milliseconds away; null: none. */
  | { kind: 'asked'; try: number; deadlineMs: number | null }
  /** The container is gone. */
  | { kind: 'lost'; because: string };
export interface SliceResult {
  /** Step to take next, or the one whose turn, command or evaluation is due. */
  step: number;
  /** Time of all steps before; of an evaluation's step, too. */
  elapsedMs: number;
  end: SliceEnd;
}
export interface SnapshotArgs {
  runId: string;
  /** The workspace is that after this step. */
  step: number;
  epoch: number;
  reason: SnapshotReason;
  /** Of the slice that takes it; absent: no command of the run can start meanwhile. */
  fence?: string;
}
export type SnapshotReason = 'validate' | 'interval' | 'leaving';
/** Of a forced end: the other evaluations' submissions are taken with the command that asks for them. */
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
  /** Of the split that the agent is shown, where the test is still to come: that is left to `evaluateHidden`. */
  status: EvaluationStatus;
  primary: number | null;
  /** On the run's clock. */
  ms: number;
}
export interface EvaluateHiddenResult {
  /** Ask again: there may be more to evaluate. */
  more: boolean;
  /** Of the submission that the run ended with, once there is no more; null: there is none. */
  final: EvaluationStatus | null;
}

/** On the control queue: Postgres, and Temporal's own client. */
export interface ControlActivities {
  loadShard(args: { batchId: string; shard: number }): Promise<RunTicket[]>;
  startBatch(args: { batchId: string }): Promise<void>;
  batchState(args: { batchId: string }): Promise<BatchState>;
  /** Of a batch that gives attempts out on the way, all of whose runs have ended: adds more where they settle most, or none. */
  nextAttempts(args: { batchId: string }): Promise<{ added: number }>;
  /** False: it has unfinished runs. Cancelled: those that never started are ended here. */
  finishBatch(args: { batchId: string; cancelled: boolean }): Promise<boolean>;
  finishRun(args: { runId: string; end: RunEnd }): Promise<void>;
  /** The same end for all of them that have not ended. */
  finishRuns(args: { runIds: string[]; end: RunEnd }): Promise<void>;
  waitingForGpu(args: { runId: string }): Promise<void>;
  /**
   * Choose the run's host (or take `hostId`, from a lease) and store it. Fails and is retried while no host can take the run; fails for
   * good with hostRefuses if `hostId` takes none. Returns the row's `epoch`, which may be higher. `start`: also start its container, if the
   * chosen host is this worker's; `started` says whether it did, `lost` that the container died meanwhile, and why. What else fails there is
   * left to `startContainer`.
   */
  placeRun(args: {
    runId: string;
    epoch: number;
    hostId?: string;
    /** What the run may take until its end; absent: not known. */
    seconds?: number;
    start?: Omit<StartContainerArgs, 'runId' | 'epoch'>;
  }): Promise<{ hostId: string; epoch: number; started?: boolean; lost?: string }>;
  /** No worker took an activity from the host's queue: is the host lost, or left as announced, so that the run must move? */
  judgeHost(args: { runId: string; hostId: string; epoch: number }): Promise<'keep' | 'lost' | 'left'>;
  /** Ask the pool for a lease; starts the pool if it is not running. */
  requestLease(request: LeaseRequest): Promise<void>;
  /** Store the grant in PostgreSQL, whose index refuses a GPU that is held. False: it was revoked meanwhile. */
  recordLease(args: { runId: string; lease: Lease }): Promise<boolean>;
  /** The lease's host is lost: its GPUs are not leased until the host is back or removed. */
  abandonLease(args: { runId: string; lease: Lease }): Promise<void>;
  /** `hostsChanged`: the pool is to look at its hosts before it leases those GPUs again. */
  releaseLease(args: { runId: string; token: number | null; hostsChanged?: true }): Promise<void>;
  /** For a new pool: the leases that PostgreSQL knows. */
  openLeases(): Promise<{ leases: OpenLease[]; nextToken: number }>;
  poolRound(args: PoolRoundArgs): Promise<PoolRoundResult>;
  /** Called before a lease's containers are removed by force, so that no new ones start with it. */
  revokeLease(args: { runId: string; lease: Lease; reason: 'closed' | 'expired' }): Promise<void>;
  /** Has the run ended, by its row? */
  runEnded(args: { runId: string }): Promise<boolean>;
  /** Of a tree's run: the nodes that are being played, else those of its next wave, else none. */
  openNodes(args: { runId: string }): Promise<Wave>;
  /** A node's run has ended: writes down what came of it. */
  settleNode(args: { nodeRunId: string }): Promise<void>;
  /** The tree's run takes over its best node's submission, if any has a score. */
  chooseNode(args: { runId: string }): Promise<ChosenNode>;
  /** Ends what is left of the tree. */
  closeTree(args: { runId: string }): Promise<void>;
  /** Have all runs of the shard ended, by their rows? */
  shardEnded(args: { batchId: string; shard: number }): Promise<boolean>;
}
/** On a host's queue. */
export interface HostActivities {
  startContainer(args: StartContainerArgs): Promise<void>;
  /** `end`: the run ends with it, once nothing of its agent is left here. */
  stopContainer(args: { runId: string; end?: RunEnd }): Promise<void>;
  /**
   * Take steps from the record on: turns, commands and their outcomes, each recorded, until the workflow
   * is needed or the slice's time is over. Idempotent: the next attempt finds what this one recorded.
   */
  playSteps(args: PlayStepsArgs): Promise<SliceResult>;
  /** A turn that takes long, in the worker where a slice began it. */
  nextAction(args: NextActionArgs): Promise<NextActionResult>;
  /** Also takes the submission, if the command asks for an evaluation. */
  executeCommand(args: ExecuteCommandArgs): Promise<ExecuteCommandResult>;
  /**
   * Run the agent's program until it asks for a validation, or has ended: by itself, by `submit`, or because a limit is reached.
   * Idempotent: it finds the program where it is.
   */
  runProgram(args: RunProgramArgs): Promise<RunProgramResult>;
  /** Store the submission as it is in the workspace now, once. */
  takeSubmission(args: TakeSubmissionArgs): Promise<void>;
  evaluate(args: EvaluateArgs): Promise<EvaluateResult>;
  /** Evaluate the next submission of the run on the hidden test split. Ends the sandbox first, so that no process of the agent is left. */
  evaluateHidden(args: { runId: string }): Promise<EvaluateHiddenResult>;
  /** Keep the workspace and the shell's state. One that cannot be made is an event. */
  snapshot(args: SnapshotArgs): Promise<void>;
}
/** On a provider's queue. */
export interface ModelActivities {
  nextAction(args: NextActionArgs): Promise<NextActionResult>;
}

/** Types of the ApplicationFailures that workflows tell apart. */
export const FAILURE = {
  /** The container is gone: start a new epoch. */
  sandboxLost: 'SandboxLost',
  /** Only the operator can fix it: ends the run as config_error. */
  config: 'ConfigError',
  /** The run or its lease has moved on; work for an earlier epoch stops. */
  stale: 'Stale',
  /** The run's host leaves: the run moves to another one. */
  hostLeft: 'HostLeft',
  /** No host can take the run now. */
  noHost: 'NoHost',
  /** The host whose GPUs the run was leased takes no runs now: the run asks for others. */
  hostRefuses: 'HostRefuses',
} as const;

/** The detail of a failure that names what failed; without one, its activity does. */
export interface FailedPart {
  part: EndCause;
}

export const SIGNAL = {
  /** To a batch: its rows were changed from outside. */
  batchChanged: 'batchChanged',
  /** From a shard to its batch: { slots } that it has no run for. */
  slotsReturned: 'slotsReturned',
  /** To a batch: { shard, runs } has ended. A fresh history is not the parent of shards that an earlier one started. */
  shardEnded: 'shardEnded',
  /** To a shard: { slots } more. */
  slotsGranted: 'slotsGranted',
  /** To a shard: { paused }. */
  pause: 'pause',
  leaseGranted: 'leaseGranted',
  /** To a run: { step, try } has its answer in Postgres. */
  turnAnswered: 'turnAnswered',
  hostsChanged: 'hostsChanged',
  requestLease: 'requestLease',
  releaseLease: 'releaseLease',
  abandonLease: 'abandonLease',
} as const;
