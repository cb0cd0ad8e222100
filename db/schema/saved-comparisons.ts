import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { FrozenOptions } from '../../domain/views/comparisons.js';
import { createdAt } from './columns.js';

/** What a published table compared. Its figures depend on the whole set, so a new model or task must not change it. */
export const savedComparisons = pgTable('saved_comparisons', {
  name: text('name').primaryKey(),
  options: jsonb('options').$type<FrozenOptions>().notNull(),
  createdAt: createdAt(),
});
