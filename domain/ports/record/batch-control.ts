import type { EndReason } from '../../run/outcomes.js';

/** After a change, signal the batch's workflow. */
export interface BatchControl {
  /** Start no more runs. False: the batch is over. */
  pause(batchId: string): Promise<boolean>;
  /** Also resets its breaker. */
  unpause(batchId: string): Promise<void>;
  /** Throws BenchError (usage) if the batch has a larger budget, or none. */
  raiseBudget(batchId: string, budgetUsd: string): Promise<void>;
  /** Unreplaced runs that the budget before the last raise ended, or will end when evaluated. */
  stoppedByOldBudget(batchId: string): Promise<{ runId: string; ended: boolean }[]>;
  /** Unreplaced runs with these end reasons; `lastStep`: the last complete one (0: none). */
  replaceable(
    of: { batchId: string } | { runId: string },
    ends: readonly EndReason[],
  ): Promise<{ runId: string; endReason: EndReason; lastStep: number }[]>;
  /** Task hashes of its unfinished runs. */
  openTasks(batchId: string): Promise<string[]>;
  /** The highest attempt of each model and task. */
  attempts(batchId: string): Promise<{ model: string; task: string; attempt: number }[]>;
  named(name: string): Promise<{ batchId: string; spec: Record<string, unknown> } | null>;
}
