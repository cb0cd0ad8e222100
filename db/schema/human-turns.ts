import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { ChatMessage } from '../../domain/model.js';
import { createdAt, time } from './columns.js';
import { runs } from './runs.js';

/** What a person who plays is asked, and what they answered: the worker asks here, the terminal answers here. */
export const humanTurns = pgTable(
  'human_turns',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    try: integer('try').notNull(),
    /** The messages that a model would get. */
    messages: jsonb('messages').$type<ChatMessage[]>().notNull(),
    reply: text('reply'),
    createdAt: createdAt(),
    repliedAt: time('replied_at'),
  },
  (t) => [
    primaryKey({ name: 'human_turns_pkey', columns: [t.runId, t.step, t.try] }),
    index('human_turns_open')
      .on(t.runId)
      .where(sql`reply is null`),
  ],
);
