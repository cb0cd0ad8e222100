import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.js';
import { hosts } from './hosts.js';
import { runs } from './runs.js';

/** The bytes themselves lie in an artifact store. */
export const artifacts = pgTable('artifacts', {
  sha256: text('sha256').primaryKey(),
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
  kind: text('kind').notNull(),
  createdAt: createdAt(),
});

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
    bytes: bigint('bytes', { mode: 'number' }),
    /** The kept disk, and its host; null: only an archive. */
    disk: text('disk'),
    diskHost: text('disk_host').references(() => hosts.hostId),
    archiveRequestedAt: timestamp('archive_requested_at', { withTimezone: true }),
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
