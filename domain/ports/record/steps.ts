import type { ObservedCommand, Requested, StepRecord, TakenSubmission } from '../../run.js';
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

/** A run's steps: actions and what came back. First write wins. */
export interface StepLog {
  /**
   * The attempt that `fence` names takes over the run's steps in this epoch: writes under other
   * fences are refused from now on. Returns what is recorded from step `from` on.
   * @throws Stale if the run has ended or is in another epoch, Superseded if a later attempt has taken over.
   */
  takeOver(args: { runId: string; epoch: number; from: number; fence: string }): Promise<RecordedStep[]>;
  /** Steps 1..n of the run, in order, with messages of evaluations already part of the observations. */
  transcript(runId: string): Promise<StepRecord[]>;
  /** @throws Superseded if another attempt than `fence` names has taken over. */
  step(runId: string, step: number, fence?: Fence): Promise<StepRecord | null>;
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
