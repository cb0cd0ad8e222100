import { boolean, doublePrecision, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { runs } from './runs.js';

/** Kept current by triggers: leaderboards need not read all evaluations. No row: none yet. */
export const runResults = pgTable('run_results', {
  runId: text('run_id')
    .primaryKey()
    .references(() => runs.runId, { onDelete: 'cascade' }),
  /** Finished ones on the test split. */
  evaluations: integer('evaluations').notNull(),
  suspects: integer('suspects').notNull(),
  withoutIsolation: boolean('without_isolation').notNull(),
  bestAttempt: doublePrecision('best_attempt'),
  bestNumber: integer('best_number'),
  lastAttempt: doublePrecision('last_attempt'),
  lastNumber: integer('last_number'),
  bestAttemptOfAll: doublePrecision('best_attempt_of_all'),
  bestNumberOfAll: integer('best_number_of_all'),
  lastAttemptOfAll: doublePrecision('last_attempt_of_all'),
  lastNumberOfAll: integer('last_number_of_all'),
});
