import { sql } from 'drizzle-orm';
import { pgTable, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.js';

/** Which installation this database is, at most one row: a Temporal namespace serves one alone. */
export const installation = pgTable(
  'installation',
  {
    installationId: uuid('installation_id').primaryKey().defaultRandom(),
    createdAt: createdAt(),
  },
  () => [uniqueIndex('installation_one').on(sql`(true)`)],
);
