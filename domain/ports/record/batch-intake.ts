import type { RunDefinition } from '../../run/run.js';
import type { Allocation } from '../../views/allocation.js';
import type { UsageForecast } from '../../views/forecast.js';

export interface BatchDefinition {
  batchId: string;
  /** Unique over all batches; null: the batch has no name. */
  name: string | null;
  /** The expanded specification as submitted, for people and for `export`. */
  spec: Record<string, unknown>;
  seed: number;
  concurrency: number;
  /** 1 (first) to 5 (last); absent: 3. */
  priority?: number;
  /** Runs that end in a row by one cause before the batch pauses itself; null or absent: it never does. */
  breaker?: number | null;
  /** US dollars as a decimal string; null: no budget. */
  budgetUsd: string | null;
  /** What it is expected to use; absent: not requested. */
  forecast?: UsageForecast;
  /** How attempts are given out; absent: they are fixed. */
  allocation?: Allocation | null;
  /** It verifies tasks, so its runs rank only in its own leaderboard. */
  verification?: boolean;
  /** Version of this program, stored with every run. */
  harnessVersion: string;
}

/** A run to store. Task versions and agent configurations are stored once per hash. */
export interface SubmittedRun extends RunDefinition {
  /** The run that this one repeats. */
  replaces?: string | null;
}

export interface BatchSubmission {
  batch: BatchDefinition;
  /** In submission order: position = ordinal, shard = floor(ordinal / SHARD_SIZE). */
  runs: SubmittedRun[];
}

/** Stores new batches and runs. */
export interface BatchIntake {
  /** Stores a batch with all its runs, or nothing. */
  submit(submission: BatchSubmission): Promise<void>;
  /** Adds runs to a batch, all or none; a batch that had ended runs again. */
  append(batchId: string, runs: SubmittedRun[], harnessVersion: string): Promise<void>;
}
