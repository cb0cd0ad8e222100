import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.js';
import { runs } from './runs.js';

/** Runs whose output is watched now. */
export const watchedRuns = pgTable('watched_runs', {
  runId: text('run_id')
    .primaryKey()
    .references(() => runs.runId, { onDelete: 'cascade' }),
  until: time('until').notNull(),
});

/** What commands of watched runs have printed so far. Unlogged: a crash of the server empties it, and nothing is lost. */
export const liveOutputs = pgTable('live_outputs', {
  runId: text('run_id')
    .primaryKey()
    .references(() => runs.runId, { onDelete: 'cascade' }),
  step: integer('step').notNull(),
  tail: text('tail').notNull(),
  /** Who copied it: a worker, by host and process. */
  worker: text('worker').notNull(),
  /** Workers that have executed this command, one after another's death. */
  workers: integer('workers').notNull().default(1),
  at: time('at').notNull().defaultNow(),
});
