import { sql } from 'drizzle-orm';
import { pgTable, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.js';

/** This database's installation id, at most one row. A Temporal namespace serves one installation. */
export const installation = pgTable(
  'installation',
  {
    installationId: uuid('installation_id').primaryKey().defaultRandom(),
    createdAt: createdAt(),
  },
  () => [uniqueIndex('installation_one').on(sql`(true)`)],
);
