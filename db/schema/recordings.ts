import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { Recording } from '../../domain/recording/recording.js';
import { createdAt } from './columns.js';

/** Recorded runs that `replay:` plays, by content hash, so that a run keeps what it played. */
export const recordings = pgTable('recordings', {
  /** SHA-256 over the canonical content, hex. */
  hash: text('hash').primaryKey(),
  /** The file's name when it was first submitted. */
  name: text('name').notNull(),
  content: jsonb('content').$type<Recording>().notNull(),
  createdAt: createdAt(),
});
