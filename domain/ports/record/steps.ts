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
 * Names the attempt that may write a run's steps. A call that outlives its attempt is adopted by the
 * next one, which replaces the token.
 */
export interface Fence {
  token: string;
}

/** What the record has of a step that is not behind the run yet. Times in milliseconds. */
export interface RecordedStep {
  step: number;
  /** False: no reply could be parsed. */
  hasAction: boolean;
  executed: boolean;
  requested: Requested;
  modelMs: number;
  commandMs: number;
}

export type ShownRow = ShownStep & Pick<StepRecord, 'action' | 'modelMs'>;

/** A run's steps: actions and what came back. First write wins. */
export interface StepLog {
  /**
   * The attempt that `fence` names takes over the run's steps in this epoch: writes under other
   * fences are refused from now on. Returns what is recorded from step `from` on.
   * @throws Stale if the run has ended or is in another epoch, Superseded if a later attempt has taken over.
   */
  takeOver(args: { runId: string; epoch: number; from: number; fence: string }): Promise<RecordedStep[]>;
  /**
   * With messages of evaluations already part of the observation.
   * @throws Superseded if another attempt than `fence` names has taken over.
   */
  step(runId: string, step: number, fence?: Fence): Promise<StepRecord | null>;
  /**
   * What prompts show of the steps after `after` up to `through`, with their actions, a few at a time: a run's observations may be
   * hundreds of megabytes. Those of steps up to `settledThrough` (default 0) are not read, and null.
   */
  shownSteps(
    runId: string,
    which: { after: number; through: number; settledThrough?: number },
  ): AsyncGenerator<ShownRow[], void, undefined>;
  /** The last step up to `through` whose command has a recorded outcome; 0: none has. */
  lastExecuted(runId: string, through: number): Promise<number>;
  /** Commands of the steps after `after` up to `through`, in order, with how they ended. */
  recordedCommands(runId: string, which: { after: number; through: number }): Promise<RecordedCommand[]>;
  /** Keeps what the step's command has printed so far, for a player from outside. Returns whether that one asked to interrupt it. */
  commandGoesOn(runId: string, step: number, printed: string): Promise<boolean>;
  /**
   * The step's parsed action (null: format failure). First write wins. Also moves the run's step counter.
   * @throws Superseded if another attempt than `fence` names has taken over.
   */
  saveAction(
    runId: string,
    step: number,
    action: { response: string; thought: string; action: string | null; modelMs: number },
    fence?: Fence,
  ): Promise<void>;
  /**
   * Store the command's outcome, its memory records, its events, and the submission taken for the evaluation that it requests, all or
   * nothing. First write wins. With `epoch`: ignored if the run has left that sandbox.
   * @throws Superseded if another attempt than `fence` names has taken over.
   */
  saveCommand(
    runId: string,
    step: number,
    command: ObservedCommand,
    more?: { epoch?: number; events?: readonly RunEvent[]; submission?: TakenSubmission | null; fence?: Fence },
  ): Promise<void>;
}
