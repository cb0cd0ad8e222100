import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, time } from './columns.js';
import { runs } from './runs.js';

/** Started ahead, each under the id of the only run that will use it. */
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

export const warmRequests = pgTable('warm_requests', {
  key: text('key').primaryKey(),
  runId: text('run_id')
    .notNull()
    .references(() => runs.runId, { onDelete: 'cascade' }),
  requestedAt: time('requested_at').notNull().defaultNow(),
});
