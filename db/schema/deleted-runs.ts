import { bigint, boolean, check, index, pgTable, text } from 'drizzle-orm/pg-core';
import { money, notNegative, time } from './columns.js';

/** What deleted runs cost: their other rows are gone. */
export const deletedRuns = pgTable(
  'deleted_runs',
  {
    runId: text('run_id').primaryKey(),
    /** No reference: the batch may be deleted too. */
    batchId: text('batch_id').notNull(),
    modelName: text('model_name').notNull(),
    taskId: text('task_id').notNull(),
    costUsd: money('cost_usd').notNull(),
    /** Reservations of calls whose answers were lost, which may be billed. */
    lostUsd: money('lost_usd').notNull(),
    inputTokens: bigint('input_tokens', { mode: 'number' }).notNull(),
    outputTokens: bigint('output_tokens', { mode: 'number' }).notNull(),
    imported: boolean('imported').notNull(),
    deletedAt: time('deleted_at').notNull().defaultNow(),
  },
  (t) => [
    index('deleted_runs_batch').on(t.batchId),
    check(
      'deleted_runs_amounts',
      notNegative({ money: ['cost_usd', 'lost_usd'], tokens: ['input_tokens', 'output_tokens'] }),
    ),
  ],
);
