import type pg from 'pg';
import type { RunDefinition } from '../domain/run.js';

export interface BatchDefinition {
  batchId: string;
  /** Unique over all batches; null: the batch has no name. */
  name: string | null;
  /** The expanded specification that the batch was submitted with, for people and for `export`. */
  spec: Record<string, unknown>;
  seed: number;
  concurrency: number;
  /** US dollars as a decimal string; null: no budget. */
  budgetUsd: string | null;
  /** Version of this program, kept on every run. */
  harnessVersion: string;
}

/** A run to be stored. Task versions and agent configurations are taken from the definitions, once per hash. */
export interface SubmittedRun extends RunDefinition {
  /** The run that this one repeats. */
  replaces?: string | null;
  /** The task's data is a sample of the real data set. */
  sample?: boolean;
}

export interface BatchSubmission {
  batch: BatchDefinition;
  /** In submission order: position = ordinal, shard = floor(ordinal / SHARD_SIZE). */
  runs: SubmittedRun[];
}

/** Store a batch and all its runs, or nothing. */
export async function insertBatch(_pool: pg.Pool, _submission: BatchSubmission): Promise<void> {
  throw new Error('not yet');
}
