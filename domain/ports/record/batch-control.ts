import type { EndReason } from '../../run/outcomes.js';

/** Changes to a stored batch. Signal its workflow afterwards. */
export interface BatchControl {
  /** Start no more runs. False: the batch is over. */
  pause(batchId: string): Promise<boolean>;
  /** Its breaker counts from zero again. */
  unpause(batchId: string): Promise<void>;
  /** Raise the batch's budget. Throws BenchError (usage) if it has a larger one, or none. */
  raiseBudget(batchId: string, budgetUsd: string): Promise<void>;
  /** Runs that the budget before the last raise ended, or will end after their evaluation, and that no run replaces. */
  stoppedByOldBudget(batchId: string): Promise<{ runId: string; ended: boolean }[]>;
  /** Runs with these end reasons that no run replaces, of a batch or a single one; with the last complete step (0: none). */
  replaceable(
    of: { batchId: string } | { runId: string },
    ends: readonly EndReason[],
  ): Promise<{ runId: string; endReason: EndReason; lastStep: number }[]>;
  /** Hashes of the tasks of its runs that have not ended. */
  openTasks(batchId: string): Promise<string[]>;
  /** The highest attempt of each model and task of the batch. */
  attempts(batchId: string): Promise<{ model: string; task: string; attempt: number }[]>;
  /** The specification of the batch of this name; null: there is none. */
  named(name: string): Promise<{ batchId: string; spec: Record<string, unknown> } | null>;
}
