import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { AgentConfig } from '../../domain/agent/config.js';
import { createdAt } from './columns.js';

export const agentConfigs = pgTable('agent_configs', {
  hash: text('hash').primaryKey(),
  /** The name under which it was first submitted; each run keeps its own. */
  name: text('name').notNull(),
  content: jsonb('content').$type<AgentConfig>().notNull(),
  createdAt: createdAt(),
});
