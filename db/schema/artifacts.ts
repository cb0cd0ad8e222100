import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.js';
import { runs } from './runs.js';

/** Content-addressed bytes; the bytes themselves lie in an artifact store. */
export const artifacts = pgTable('artifacts', {
  sha256: text('sha256').primaryKey(),
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
  kind: text('kind').notNull(),
  createdAt: createdAt(),
});

/** A run's workspace and shell after some step. */
export const snapshots = pgTable(
  'snapshots',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    epoch: integer('epoch').notNull(),
    artifact: text('artifact')
      .notNull()
      .references(() => artifacts.sha256),
    /** Of the archive. */
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    /** Why it was made: `validate`, `interval`. */
    reason: text('reason').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ name: 'snapshots_pkey', columns: [t.runId, t.step, t.epoch] })],
);
