import pg from 'pg';
import type { RunStore } from '../domain/ports/run-store.js';
import { connectionSettings } from './connection-settings.js';
import { createQueries, type Queries } from './queries/index.js';
import { createPages, type Pages } from './queries/pages/index.js';
import type { RateStore } from '../domain/ports/rate-store.js';
import type { Episodes } from '../domain/ports/episodes.js';
import type { Rollouts } from '../domain/ports/rollouts.js';
import type { Notifications } from '../domain/ports/notifications.js';
import type { Turns } from '../domain/ports/turns.js';
import { type BatchControl, batchControl } from './batch-control.js';
import { type Comparisons, comparisons } from './comparisons.js';
import { queryError, storeError } from './database-error.js';
import { importRun, type ReadRun, type RecordedRun } from './imports/import-run.js';
import type { ImportOptions, ImportOutcome } from './imports/import-whole.js';
import { setPrices } from './imports/set-prices.js';
import { createExports, type Exports } from './exports/export-runs.js';
import { type ExchangedRecord, importExchanged, type ReadExchanged } from './imports/import-exchanged.js';
import { createKeys, type Keys } from './keys.js';
import { createPruning, type Pruning } from './prune.js';
import { READER_ROLE } from './reader-role.js';
import { createRunStore } from './run-store.js';
import { type RateControl, rateControl } from './rate-control.js';
import { preparedStatements, statements } from './statements.js';
import { episodeStore } from './store/episodes.js';
import { notificationStore } from './store/notifications.js';
import { rolloutStore } from './store/rollouts.js';
import { turnStore } from './store/turns.js';
import { rateStore } from './store/rate-limits.js';
import { appendRuns, type BatchSubmission, insertBatch, type SubmittedRun } from './submission.js';

/** One connection pool and everything done through it. Call `migrate` first. */
export interface Database {
  readonly pool: pg.Pool;
  readonly store: RunStore;
  readonly queries: Queries;
  /** Reads by parts. */
  readonly pages: Pages;
  /** Questions to players outside, and their replies. */
  readonly turns: Turns;
  /** Runs that trainers play. */
  readonly episodes: Episodes;
  /** Episodes that bench plays. */
  readonly rollouts: Rollouts;
  /** What a webhook is told. */
  readonly notifications: Notifications;
  /** Grants of provider calls. */
  readonly rates: RateStore;
  readonly rateControl: RateControl;
  readonly pruning: Pruning;
  readonly keys: Keys;
  /** Store a batch with all its runs, or nothing. */
  submit(submission: BatchSubmission): Promise<void>;
  /** Add runs to a batch, all or none; a batch that was over is running again. */
  append(batchId: string, runs: SubmittedRun[], harnessVersion: string): Promise<void>;
  readonly batches: BatchControl;
  /** Saved comparisons. */
  readonly comparisons: Comparisons;
  readonly exports: Exports;
  /** Store a run that another harness recorded, or nothing; `read` hands over its steps. */
  importRun(run: RecordedRun, options: ImportOptions, read: ReadRun): Promise<ImportOutcome>;
  /** The same of a run that another tool's trajectory or log tells of. */
  importExchanged(run: ExchangedRecord, options: ImportOptions, read: ReadExchanged): Promise<ImportOutcome>;
  /** What these models cost by a price list, from the beginning on; what it has of them otherwise is replaced. */
  setPrices(list: string, prices: Readonly<Record<string, { input: number; output: number }>>): Promise<void>;
  close(): Promise<void>;
}

/** Connects on first use; `max` connections at most (default 10). `reads`: as the role that may only select, and writes nothing. */
export function openDatabase(databaseUrl: string, options: { max?: number; reads?: boolean } = {}): Database {
  const pool = new pg.Pool({
    ...connectionSettings(databaseUrl),
    ...(options.reads === true && { options: `-c role=${READER_ROLE} -c default_transaction_read_only=on` }),
    max: options.max ?? 10,
    // A server that stops answering must not hold an activity forever.
    query_timeout: 120_000,
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced on the next use.
  pool.on('error', () => undefined);
  // The pool listens only to idle connections. One that breaks between two queries fails the next query.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    pool,
    store: createRunStore(pool),
    queries: createQueries(pool),
    pages: createPages(pool),
    pruning: createPruning(pool),
    keys: createKeys(pool),
    rates: rateStore(pool),
    rateControl: rateControl(statements(pool, queryError)),
    episodes: episodeStore(pool),
    rollouts: rolloutStore(pool),
    notifications: notificationStore(statements(pool, storeError)),
    turns: turnStore(preparedStatements(pool, storeError)),
    submit: (submission) => insertBatch(pool, submission),
    append: (batchId, runs, version) => appendRuns(pool, batchId, runs, version),
    batches: batchControl(statements(pool, queryError)),
    comparisons: comparisons(statements(pool, queryError)),
    exports: createExports(pool),
    importRun: (run, options, read) => importRun(pool, run, options, read),
    importExchanged: (run, options, read) => importExchanged(pool, run, options, read),
    setPrices: (list, prices) => setPrices(statements(pool, queryError), list, prices),
    close: () => pool.end(),
  };
}
