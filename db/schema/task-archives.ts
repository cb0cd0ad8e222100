import { pgTable, text } from 'drizzle-orm/pg-core';
import { artifacts } from './artifacts.js';
import { createdAt } from './columns.js';

/** Frozen task folders in the artifact store, for hosts without them. */
export const taskArchives = pgTable('task_archives', {
  contentHash: text('content_hash').primaryKey(),
  artifact: text('artifact')
    .notNull()
    .references(() => artifacts.sha256),
  createdAt: createdAt(),
});
