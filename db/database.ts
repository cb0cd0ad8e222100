import pg from 'pg';
import type { Stores } from '../domain/ports/stores.js';
import { connectionSettings } from './connection-settings.js';
import { createQueries } from './queries/index.js';
import { createPages } from './queries/pages/index.js';
import { batchControl } from './batch-control.js';
import { comparisons } from './comparisons.js';
import { queryError, storeError } from './database-error.js';
import { importRun } from './imports/import-run.js';
import { setPrices } from './imports/set-prices.js';
import { createExports } from './exports/export-runs.js';
import { importExchanged } from './imports/import-exchanged.js';
import { createKeys } from './keys.js';
import { createDeletion } from './deletion.js';
import { createPruning } from './prune.js';
import { READER_ROLE } from './reader-role.js';
import { createRunStore } from './run-store.js';
import { rateControl } from './rate-control.js';
import { preparedStatements, statements } from './statements.js';
import { episodeStore } from './store/episodes/index.js';
import { notificationStore } from './store/notifications.js';
import { rolloutStore } from './store/rollouts.js';
import { scheduleStore } from './store/schedules.js';
import { turnStore } from './store/turns.js';
import { rateStore } from './store/rate-limits.js';
import { appendRuns, insertBatch } from './submission.js';

/** Call `migrate` first. */
export interface Database extends Stores {
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/** Connects on first use. `max`: default 10. `reads`: as the read-only role. */
export function openDatabase(databaseUrl: string, options: { max?: number; reads?: boolean } = {}): Database {
  const pool = new pg.Pool({
    ...connectionSettings(databaseUrl),
    ...(options.reads === true && { options: `-c role=${READER_ROLE} -c default_transaction_read_only=on` }),
    max: options.max ?? 10,
    // A server that stops answering must not occupy an activity forever.
    query_timeout: 120_000,
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced on the next use.
  pool.on('error', () => undefined);
  // Without a listener an error between queries would be uncaught; the next query fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    pool,
    store: createRunStore(pool),
    queries: createQueries(pool),
    pages: createPages(pool),
    pruning: createPruning(pool),
    deletion: createDeletion(pool),
    keys: createKeys(pool),
    rates: rateStore(pool),
    rateControl: rateControl(statements(pool, queryError)),
    episodes: episodeStore(pool),
    rollouts: rolloutStore(pool),
    notifications: notificationStore(statements(pool, storeError)),
    turns: turnStore(preparedStatements(pool, storeError)),
    intake: {
      submit: (submission) => insertBatch(pool, submission),
      append: (batchId, runs, version) => appendRuns(pool, batchId, runs, version),
    },
    batchControl: batchControl(statements(pool, queryError)),
    comparisons: comparisons(statements(pool, queryError)),
    schedules: scheduleStore(statements(pool, storeError)),
    exports: createExports(pool),
    imports: {
      importRun: (run, options, read) => importRun(pool, run, options, read),
      importExchanged: (run, options, read) => importExchanged(pool, run, options, read),
      setPrices: (list, prices) => setPrices(statements(pool, queryError), list, prices),
    },
    close: () => pool.end(),
  };
}
