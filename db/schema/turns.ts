import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { ChatMessage, ToolDefinition } from '../../domain/model/model.js';
import { createdAt, time } from './columns.js';
import { runs } from './runs.js';

/** The protocol with players outside: workers write questions, players answers. */
export const turns = pgTable(
  'turns',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    try: integer('try').notNull(),
    /** Messages and tools as for a model. Null: answered before it was asked. */
    messages: jsonb('messages').$type<ChatMessage[]>(),
    tools: jsonb('tools').$type<ToolDefinition[]>(),
    reply: text('reply'),
    /** While a worker listens, the workflow needs no signal; null: none listens. */
    listenedUntil: time('listened_until'),
    createdAt: createdAt(),
    repliedAt: time('replied_at'),
  },
  (t) => [
    primaryKey({ name: 'turns_pkey', columns: [t.runId, t.step, t.try] }),
    index('turns_open')
      .on(t.runId)
      .where(sql`reply is null`),
  ],
);
