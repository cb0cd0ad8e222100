import type { ObservedCommand, StepRecord, TakenSubmission } from '../../run.js';
import type { RunEvent } from './events.js';

/** A run's steps: actions and what came back. First write wins. */
export interface StepLog {
  /** Steps 1..n of the run, in order, with messages of evaluations already part of the observations. */
  transcript(runId: string): Promise<StepRecord[]>;
  step(runId: string, step: number): Promise<StepRecord | null>;
  /** Keeps what the step's command has printed so far, for a player from outside. Returns whether that one asked to interrupt it. */
  commandGoesOn(runId: string, step: number, printed: string): Promise<boolean>;
  /** The step's parsed action (null: format failure). First write wins. Also moves the run's step counter. */
  saveAction(
    runId: string,
    step: number,
    action: { response: string; thought: string; action: string | null; modelMs: number },
  ): Promise<void>;
  /**
   * Store the command's outcome, its memory records, its events, and the submission taken for the evaluation that it requests, all or
   * nothing. First write wins. With `epoch`: ignored if the run has left that sandbox.
   */
  saveCommand(
    runId: string,
    step: number,
    command: ObservedCommand,
    more?: { epoch?: number; events?: readonly RunEvent[]; submission?: TakenSubmission | null },
  ): Promise<void>;
}
