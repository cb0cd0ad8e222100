import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { AgentConfig } from '../../domain/agent/config.js';
import { createdAt } from './columns.js';

export const agentConfigs = pgTable('agent_configs', {
  hash: text('hash').primaryKey(),
  /** Of its first submission; each run keeps its own. */
  name: text('name').notNull(),
  content: jsonb('content').$type<AgentConfig>().notNull(),
  createdAt: createdAt(),
});
