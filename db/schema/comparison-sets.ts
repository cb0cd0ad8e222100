import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.js';

/** What a published table compared: its figures depend on the whole set. */
export const comparisonSets = pgTable('comparison_sets', {
  name: text('name').primaryKey(),
  models: text('models').array().notNull(),
  tasks: text('tasks').array().notNull(),
  k: integer('k'),
  createdAt: createdAt(),
});
