import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.js';
import { runs } from './runs.js';

/** Notes of agents in their task's memory, readable by later runs with memory. */
export const memories = pgTable(
  'memories',
  {
    taskId: text('task_id').notNull(),
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    /** From 1, within the step. */
    ordinal: integer('ordinal').notNull(),
    text: text('text').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: 'memories_pkey', columns: [t.runId, t.step, t.ordinal] }),
    index('memories_task').on(t.taskId, t.createdAt),
  ],
);
