import { json, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.js';

/**
 * Figures computed outside of the database, under a hash of their inputs: intervals of a large
 * comparison take seconds. Other attempts have another hash. The newest are kept.
 */
export const leaderboardFigures = pgTable('leaderboard_figures', {
  inputs: text('inputs').primaryKey(),
  figures: json('figures').notNull(),
  createdAt: createdAt(),
});
