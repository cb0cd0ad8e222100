import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, time } from './columns.js';
import { runs } from './runs.js';

/** Sandboxes that were started ahead, each under the id of the run that will be the first and last to use it. */
export const warmSandboxes = pgTable(
  'warm_sandboxes',
  {
    /** No reference: the run is made when it takes the sandbox. */
    runId: text('run_id').primaryKey(),
    hostId: text('host_id').notNull(),
    key: text('key').notNull(),
    createdAt: createdAt(),
    readyAt: time('ready_at'),
    claimedAt: time('claimed_at'),
  },
  (t) => [index('warm_sandboxes_key').on(t.key)],
);

/** Which sandboxes are worth starting ahead: those that episodes asked for lately. */
export const warmRequests = pgTable('warm_requests', {
  key: text('key').primaryKey(),
  /** One that such a sandbox is like. */
  runId: text('run_id')
    .notNull()
    .references(() => runs.runId, { onDelete: 'cascade' }),
  requestedAt: time('requested_at').notNull().defaultNow(),
});
