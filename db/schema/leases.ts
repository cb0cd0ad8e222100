import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { time } from './columns.js';
import { hosts } from './hosts.js';
import { runs } from './runs.js';

/** One row per GPU of a lease. */
export const leases = pgTable(
  'leases',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    token: bigint('token', { mode: 'number' }).notNull(),
    hostId: text('host_id')
      .notNull()
      .references(() => hosts.hostId),
    device: text('device').notNull(),
    grantedAt: time('granted_at').notNull().defaultNow(),
    /** The run may not use it any more, but the GPU is free only when released. */
    revokedAt: time('revoked_at'),
    releasedAt: time('released_at'),
  },
  (t) => [
    primaryKey({ name: 'leases_pkey', columns: [t.runId, t.token, t.device] }),
    /** Whatever the pool believes, no GPU has two holders. */
    uniqueIndex('leases_one_holder')
      .on(t.hostId, t.device)
      .where(sql`released_at is null`),
    index('leases_granted').on(t.grantedAt),
  ],
);
