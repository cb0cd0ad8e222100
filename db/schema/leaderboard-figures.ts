import { json, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.js';

/**
 * What was computed of compared attempts outside of the database, under a hash of all that it is computed from: intervals of a large
 * comparison take seconds. Never wrong, since other attempts have another hash; the newest are kept.
 */
export const leaderboardFigures = pgTable('leaderboard_figures', {
  inputs: text('inputs').primaryKey(),
  figures: json('figures').notNull(),
  createdAt: createdAt(),
});
