import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { Recording } from '../../domain/recording/recording.js';
import { createdAt } from './columns.js';

/** For `replay:`, so that a run keeps what it played. */
export const recordings = pgTable('recordings', {
  hash: text('hash').primaryKey(),
  name: text('name').notNull(),
  content: jsonb('content').$type<Recording>().notNull(),
  createdAt: createdAt(),
});
