import pg from 'pg';
import type { RunStore } from '../domain/ports/run-store.js';
import { connectionSettings } from './connection-settings.js';
import { createQueries, type Queries } from './queries/index.js';
import type { HumanTurns } from '../domain/ports/human-turns.js';
import { storeError } from './database-error.js';
import { createRunStore } from './run-store.js';
import { statements } from './statements.js';
import { humanTurnStore } from './store/human-turns.js';
import { type BatchSubmission, insertBatch } from './submission.js';

/** One pool and what is done through it. The schema must have been brought up to date with `migrate` before. */
export interface Database {
  readonly pool: pg.Pool;
  readonly store: RunStore;
  readonly queries: Queries;
  /** Questions to people who play, and their replies. */
  readonly humanTurns: HumanTurns;
  /** Store a batch and all its runs, or nothing. */
  submit(submission: BatchSubmission): Promise<void>;
  close(): Promise<void>;
}

/** Connects on first use; `max` connections at most (default 10). */
export function openDatabase(databaseUrl: string, options: { max?: number } = {}): Database {
  const pool = new pg.Pool({
    ...connectionSettings(databaseUrl),
    max: options.max ?? 10,
    // A server that stops answering must not hold an activity for ever.
    query_timeout: 120_000,
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced on the next use.
  pool.on('error', () => undefined);
  return {
    pool,
    store: createRunStore(pool),
    queries: createQueries(pool),
    humanTurns: humanTurnStore(statements(pool, storeError)),
    submit: (submission) => insertBatch(pool, submission),
    close: () => pool.end(),
  };
}
