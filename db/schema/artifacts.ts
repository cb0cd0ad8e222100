import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.js';
import { hosts } from './hosts.js';
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
    /** The archive; null: none was made yet. */
    artifact: text('artifact').references(() => artifacts.sha256),
    /** Of the archive. */
    bytes: bigint('bytes', { mode: 'number' }),
    /** Name of the kept disk, and the host that has it; null: it is an archive alone. */
    disk: text('disk'),
    diskHost: text('disk_host').references(() => hosts.hostId),
    /** Since then an archive is to be made of the disk. */
    archiveRequestedAt: timestamp('archive_requested_at', { withTimezone: true }),
    /** Why it was made: `validate`, `interval`. */
    reason: text('reason').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: 'snapshots_pkey', columns: [t.runId, t.step, t.epoch] }),
    index('snapshots_disk').on(t.disk),
    check(
      'snapshots_lies_somewhere',
      sql`${t.artifact} is not null or (${t.disk} is not null and ${t.diskHost} is not null)`,
    ),
  ],
);
