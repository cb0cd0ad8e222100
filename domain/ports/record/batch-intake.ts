import type { RunDefinition } from '../../run/run.js';
import type { Allocation } from '../../views/allocation.js';
import type { UsageForecast } from '../../views/forecast.js';

export interface BatchDefinition {
  batchId: string;
  /** Unique over all batches; null: unnamed. */
  name: string | null;
  /** The expanded specification as submitted, for people and `export`. */
  spec: Record<string, unknown>;
  seed: number;
  concurrency: number;
  /** 1 (first) to 5 (last); absent: 3. */
  priority?: number;
  /** The batch pauses after so many runs in a row with one cause of end; null, absent: never. */
  breaker?: number | null;
  /** Decimal string; null: no budget. */
  budgetUsd: string | null;
  /** Absent: not requested. */
  forecast?: UsageForecast;
  /** How attempts are allocated; absent: fixed. */
  allocation?: Allocation | null;
  /** It verifies tasks; its runs rank only in its own leaderboard. */
  verification?: boolean;
  /** Stored with every run. */
  harnessVersion: string;
}

/** Task versions and agent configurations are stored once per hash. */
export interface SubmittedRun extends RunDefinition {
  /** The run that this one repeats. */
  replaces?: string | null;
}

export interface BatchSubmission {
  batch: BatchDefinition;
  /** In submission order: position = ordinal, shard = floor(ordinal / SHARD_SIZE). */
  runs: SubmittedRun[];
}

export interface BatchIntake {
  /** All or nothing. */
  submit(submission: BatchSubmission): Promise<void>;
  /** All or nothing; an ended batch runs again. */
  append(batchId: string, runs: SubmittedRun[], harnessVersion: string): Promise<void>;
}
