import { sql } from 'drizzle-orm';
import { pgTable, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, time } from './columns.js';

/** At most one row. A Temporal namespace serves one installation. */
export const installation = pgTable(
  'installation',
  {
    installationId: uuid('installation_id').primaryKey().defaultRandom(),
    createdAt: createdAt(),
    /** Since when the webhook is notified; null: none is set. */
    notifyFrom: time('notify_from'),
  },
  () => [uniqueIndex('installation_one').on(sql`(true)`)],
);
