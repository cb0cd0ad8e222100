import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { FrozenOptions } from '../../domain/views/comparisons.js';
import { createdAt } from './columns.js';

/** What a published table compared: its figures depend on the whole set, so the set is fixed. */
export const savedComparisons = pgTable('saved_comparisons', {
  name: text('name').primaryKey(),
  options: jsonb('options').$type<FrozenOptions>().notNull(),
  createdAt: createdAt(),
});
