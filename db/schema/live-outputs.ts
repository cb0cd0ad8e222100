import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.js';
import { runs } from './runs.js';

export const watchedRuns = pgTable('watched_runs', {
  runId: text('run_id')
    .primaryKey()
    .references(() => runs.runId, { onDelete: 'cascade' }),
  until: time('until').notNull(),
});

/** Output of watched runs. Unlogged: losing it in a crash is harmless. */
export const liveOutputs = pgTable('live_outputs', {
  runId: text('run_id')
    .primaryKey()
    .references(() => runs.runId, { onDelete: 'cascade' }),
  step: integer('step').notNull(),
  tail: text('tail').notNull(),
  worker: text('worker').notNull(),
  /** Workers that executed this command, each after another's death. */
  workers: integer('workers').notNull().default(1),
  at: time('at').notNull().defaultNow(),
});
