import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { ModelConfig } from '../../domain/model/config.js';
import { createdAt } from './columns.js';

/** Model files as submitted: a run keeps its prices and limits. */
export const modelConfigs = pgTable('model_configs', {
  hash: text('hash').primaryKey(),
  /** Of its first submission; each run keeps its own. */
  name: text('name').notNull(),
  content: jsonb('content').$type<ModelConfig>().notNull(),
  createdAt: createdAt(),
});
