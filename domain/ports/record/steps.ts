import type {
  ObservedCommand,
  RecordedCommand,
  Requested,
  ShownStep,
  StepRecord,
  TakenSubmission,
} from '../../run/run.js';
import type { RunEvent } from './events.js';

/**
 * The attempt that may write a run's steps; the next one replaces the token and adopts late calls.
 * Methods with another fence throw Superseded.
 */
export interface Fence {
  token: string;
}

/** A recorded step that the run has not passed yet. Times in milliseconds. */
export interface RecordedStep {
  step: number;
  /** False: no reply could be parsed. */
  hasAction: boolean;
  /** Then: the last one was a refusal. Absent: no. */
  refused?: boolean;
  executed: boolean;
  requested: Requested;
  modelMs: number;
  commandMs: number;
}

/** `refused`: it has no action, and its last reply was a refusal. */
export type ShownRow = ShownStep &
  Pick<StepRecord, 'action' | 'modelMs'> & {
    refused?: boolean;
    /** Of its command and evaluations, milliseconds. */
    executedMs: number;
  };

/** A run's steps: actions and their outcomes. First write wins. */
export interface StepLog {
  /**
   * The attempt takes over the run's steps in this epoch. Returns the record from step `from` on.
   * @throws Stale if the run has ended or is in another epoch, Superseded after a later attempt.
   */
  takeOver(args: { runId: string; epoch: number; from: number; fence: string }): Promise<RecordedStep[]>;
  /** The observation includes messages of evaluations. */
  step(runId: string, step: number, fence?: Fence): Promise<StepRecord | null>;
  /**
   * What prompts show of the steps after `after` up to `through`, in chunks: observations may total
   * hundreds of megabytes. Those up to `settledThrough` (default 0) are null.
   */
  shownSteps(
    runId: string,
    which: { after: number; through: number; settledThrough?: number },
  ): AsyncGenerator<ShownRow[], void, undefined>;
  /** The last step up to `through` with a recorded outcome; 0: none. */
  lastExecuted(runId: string, through: number): Promise<number>;
  /** Time of a run's models, commands and evaluations up to this step. */
  usedMs(runId: string, through: number): Promise<number>;
  /** Commands of the steps after `after` up to `through`, in order, with their outcomes. */
  recordedCommands(runId: string, which: { after: number; through: number }): Promise<RecordedCommand[]>;
  /** Keeps the output so far for an external player; returns whether it wants an interrupt. */
  commandGoesOn(runId: string, step: number, printed: string): Promise<boolean>;
  /**
   * `action` null: format failure. First write wins: false if the step had an action. Advances the
   * run's step counter.
   */
  saveAction(
    runId: string,
    step: number,
    action: Pick<StepRecord, 'response' | 'reasoning' | 'thought' | 'action'> & { modelMs: number },
    fence?: Fence,
  ): Promise<boolean>;
  /**
   * Store the outcome, memory records, events and the requested evaluation's submission, all or
   * nothing. First write wins. With `epoch`: ignored if the run has left that sandbox. Returns
   * whether the record now has this observation, without a message of an evaluation.
   */
  saveCommand(
    runId: string,
    step: number,
    command: ObservedCommand,
    more?: { epoch?: number; events?: readonly RunEvent[]; submission?: TakenSubmission | null; fence?: Fence },
  ): Promise<boolean>;
}
