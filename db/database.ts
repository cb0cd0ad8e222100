import type pg from 'pg';
import type { RunStore } from '../domain/ports/run-store.js';
import type { Queries } from './queries/index.js';
import type { BatchSubmission } from './submission.js';

/** One pool and what is done through it. The schema must have been brought up to date with `migrate` before. */
export interface Database {
  readonly pool: pg.Pool;
  readonly store: RunStore;
  readonly queries: Queries;
  /** Store a batch and all its runs, or nothing. */
  submit(submission: BatchSubmission): Promise<void>;
  close(): Promise<void>;
}

/** Connects on first use; `max` connections at most (default 10). */
export function openDatabase(_databaseUrl: string, _options: { max?: number } = {}): Database {
  throw new Error('not yet');
}
