import type { EventKind } from '../event-kinds.js';
import type { BatchState } from '../messages.js';
import type { ChatMessage, ModelReply } from '../model.js';
import type { RunStatus } from '../outcomes.js';
import type { HostStore } from './host-store.js';
import type {
  EvaluationRecord,
  EvaluationStatus,
  Isolation,
  ObservedCommand,
  RunDefinition,
  RunEnd,
  RunTicket,
  SplitScore,
  StepRecord,
  TakenSubmission,
} from '../run.js';
import type { Split } from '../task.js';

/** Names one model call: retries of the activity find their predecessor's row. */
export interface ModelCallKey {
  runId: string;
  step: number;
  /** 0 for the first reply of the step, 1 and 2 for the requeries. */
  try: number;
}

export type ReservedCall =
  /** The answer is already here and paid for: do not ask again. */
  | { kind: 'stored'; reply: ModelReply; ms: number }
  /**
   * Nothing stored. `attempt`: how often this question has been put, with this one; `earlierAttempts`: how many of those before
   * were cut off before an answer was stored.
   */
  | { kind: 'reserved'; attempt: number; earlierAttempts: number }
  /** The batch's budget has no room. `open`: calls in flight hold so much that it may have when they are settled. */
  | { kind: 'over_budget'; open: boolean };

/** An answer cost more than was set aside for it: the model's factor is raised to this one, never lowered. */
export interface DearerAnswer {
  account: string;
  model: string;
  factor: number;
  event: RunEvent;
}

/** An evaluation with all that is stored of it. */
export interface SavedEvaluation extends EvaluationRecord {
  evaluationNumber: number;
  isolation: Isolation;
  /** Of the sandbox that it was taken from: one that the run has left changes nothing. Absent: not checked. */
  epoch?: number;
  /** For the agent's eyes; absent: the message. */
  shown?: string;
  /** Splits other than `test`. */
  otherSplits?: ({ split: Split } & SplitScore)[];
  evaluatorImageDigest?: string | null;
  /** The step whose validate the submission is from; null or absent: it was in the workspace. */
  fromStep?: number | null;
  /** Written together with it, or not at all. */
  events?: readonly RunEvent[];
}

/** A kept submission whose test split is still to be evaluated. */
export interface HiddenEvaluation {
  step: number;
  kind: EvaluationRecord['kind'];
  number: number;
  submissionSha256: string;
  fromStep: number | null;
  /** Its score on the split that was shown is. */
  suspect: boolean;
}

/** One entry of a run's log of faults, retries, recoveries. `key` makes a repeated report one row. */
export interface RunEvent {
  kind: EventKind;
  key: string;
  detail: string;
}

/** A run's workspace and shell as they were after some step. */
export interface Snapshot {
  step: number;
  epoch: number;
  /** SHA-256 of the archive in the artifact store. */
  artifact: string;
  /** Of the archive. */
  bytes: number;
}

/** The record of runs in Postgres, as the activities use it. Every write is keyed, so a repeated write changes nothing. */
export interface RunStore extends HostStore {
  /** Runs of one shard of a batch that have not ended, in submission order. */
  loadShard(batchId: string, shard: number): Promise<RunTicket[]>;
  definition(runId: string): Promise<RunDefinition>;

  setStatus(runId: string, status: RunStatus): Promise<void>;
  /** The sandbox of (run, epoch) stands: records host, isolation, image digest, workspace and start time (first epoch). */
  sandboxStarted(
    runId: string,
    at: {
      epoch: number;
      hostId: string;
      isolation: Isolation;
      imageDigest: string | null;
      workspace: string;
      workspaceLimit?: 'file_system' | 'watched' | null;
    },
  ): Promise<void>;
  /** The workspace path of the run's sandbox, as the agent sees it. */
  workspace(runId: string): Promise<string>;

  /** Keep a snapshot's row. A second one of the same step and sandbox changes nothing. */
  saveSnapshot(snapshot: Snapshot & { runId: string; reason: string }): Promise<void>;
  /** The last snapshot at or before this step; null: there is none. */
  snapshotAt(runId: string, step: number): Promise<Snapshot | null>;
  /** Its artifact is missing or damaged. */
  forgetSnapshot(runId: string, snapshot: Pick<Snapshot, 'step' | 'epoch'>): Promise<void>;

  /** Steps 1..n of the run, in order, with messages of evaluations already part of the observations. */
  transcript(runId: string): Promise<StepRecord[]>;
  step(runId: string, step: number): Promise<StepRecord | null>;

  /** Write the attempt row before a call, or find the stored answer. */
  reserveCall(
    key: ModelCallKey,
    request: {
      provider: string;
      model: string;
      messages: ChatMessage[];
      reservedUsd: string;
      /** Host and path that it goes to. */
      endpoint?: string | undefined;
      /** `sendingCall` is called before it goes out; else it counts as sent from now on. */
      tellsSending?: boolean;
    },
  ): Promise<ReservedCall>;
  /** The call goes out now. Throws Stale, so that it does not, if its reservation was released meanwhile. */
  sendingCall(key: ModelCallKey, attempt: number): Promise<void>;
  /** Calls of these runs that have not gone out cost nothing, and are not made any more. */
  releaseUnsent(runIds: readonly string[]): Promise<void>;
  /** Has a call of this model in the batch been answered? */
  modelHasAnswered(batchId: string, model: string): Promise<boolean>;
  /** How many times their estimate calls of the model set aside; at least 1. */
  reservationFactor(account: string, model: string): Promise<number>;
  /** The answer to the question, if one is stored. */
  storedAnswer(key: ModelCallKey): Promise<{ reply: ModelReply; ms: number } | null>;
  /** Store the answer and its cost; adds to the run's tokens and cost exactly once, and what it was dearer than. */
  settleCall(key: ModelCallKey, reply: ModelReply, ms: number, dearer?: DearerAnswer): Promise<void>;
  /**
   * The call brought no answer: keep the error's type on the row. `billed` unknown, as after a cut connection: the call
   * counts as its reservation from then on. The event is written with it: a crash between them would lose a fault.
   */
  failCall(
    key: ModelCallKey,
    errorType: string,
    billed: 'no' | 'unknown',
    told?: { event?: RunEvent; detail?: string; retryAt?: Date },
  ): Promise<void>;
  /**
   * What the run has spent: confirmed by answers; reserved by calls whose answer was lost, with those of the runs that it goes on
   * for, which the batch's budget had ended; its tokens in and out.
   */
  spending(runId: string): Promise<{ confirmedUsd: string; unconfirmedUsd: string; tokens: number }>;

  /** The step's parsed action (null: format failure). First write wins. Also moves the run's step counter. */
  saveAction(
    runId: string,
    step: number,
    action: { response: string; thought: string; action: string | null; modelMs: number },
  ): Promise<void>;
  /**
   * What the command came to, what it put into the task's memory if the run has one, its events, and the submission that was taken
   * for the evaluation that it asks for, all or nothing. First write wins. With `epoch`: a sandbox that the run has left changes nothing.
   */
  saveCommand(
    runId: string,
    step: number,
    command: ObservedCommand,
    more?: { epoch?: number; events?: readonly RunEvent[]; submission?: TakenSubmission | null },
  ): Promise<void>;

  /** What was taken out of the workspace for an evaluation; null: nothing yet. */
  takenSubmission(runId: string, step: number, kind: EvaluationRecord['kind']): Promise<TakenSubmission | null>;
  /** First write wins, except over `gone`, whose files are not to be found. A sandbox that the run has left changes nothing. */
  saveTakenSubmission(
    runId: string,
    step: number,
    kind: EvaluationRecord['kind'],
    taken: TakenSubmission,
    epoch: number,
    gone?: string,
  ): Promise<void>;

  /**
   * The task's memory as this run may read it, oldest record first; null: it has none. What the same model wrote in runs of the task
   * before this one began: the first call fixes when that was, so that a new container is given the same.
   */
  beginMemory(runId: string): Promise<string[] | null>;
  /** How many records that were; null: no memory, or not begun. */
  memoryRecords(runId: string): Promise<number | null>;

  /** Number of this evaluation within the run, from 1; the same for a repeated (step, kind). */
  evaluationNumber(runId: string, step: number, kind: EvaluationRecord['kind']): Promise<number>;
  /** While its test waits: with the status on the split that was shown, and without scores. */
  evaluation(runId: string, step: number, kind: EvaluationRecord['kind']): Promise<EvaluationRecord | null>;
  /**
   * Store an evaluation, a row for each split, and append what is shown to the step's observation, in one transaction; first write
   * wins. Keeps the run's best and final score, both of the split `test`.
   */
  saveEvaluation(evaluation: SavedEvaluation): Promise<void>;

  /**
   * Store what the agent is shown of a valid submission: its scores on `otherSplits`, and the text in the step's observation. The row of
   * the test split waits with the submission; see nextHidden. First write wins.
   */
  saveShown(evaluation: Omit<SavedEvaluation, keyof SplitScore> & { message: string }): Promise<void>;
  /** The first of the run's submissions that wait for their test; null: none does. */
  nextHidden(runId: string): Promise<HiddenEvaluation | null>;
  /** What the submission came to that the run ended with, on the test split; null: there is none, or it waits. */
  finalEvaluation(runId: string): Promise<EvaluationStatus | null>;

  /** The last valid submission that the agent validated, or the best by what it was shown, suspect ones apart; null: there is none. */
  validSubmission(runId: string, which: 'last' | 'best'): Promise<{ step: number; submissionSha256: string } | null>;

  /** The run has ended: final. A run ends once; a second call with the same or another end changes nothing. */
  finishRun(runId: string, end: RunEnd): Promise<void>;
  /** The same end for those of these runs that have not ended. */
  finishRuns(runIds: readonly string[], end: RunEnd): Promise<void>;
  startBatch(batchId: string): Promise<void>;
  batchState(batchId: string): Promise<BatchState>;
  runEnded(runId: string): Promise<boolean>;
  /** Of those that are in the database: has it ended, and which container of it is the current one (0: none yet)? */
  runStates(runIds: readonly string[]): Promise<Map<string, { ended: boolean; epoch: number }>>;
  /**
   * Fixes the batch's status and end time. `ended`: only if all its runs have ended, else nothing and false. `cancelled`: its runs
   * that have not ended, which must have been stopped or never started, end as cancelled.
   */
  finishBatch(batchId: string, status: 'ended' | 'cancelled'): Promise<boolean>;

  /** An event that comes with no other row, of a run, a batch or neither. */
  addEvent(event: RunEvent & { runId: string | null; batchId: string | null }): Promise<void>;
}
