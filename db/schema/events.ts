import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { batches } from './batches.js';
import { time } from './columns.js';
import { runs } from './runs.js';

/** `key` makes repeated reports one row, per run, else per batch, else globally. */
export const events = pgTable(
  'events',
  {
    eventId: bigint('event_id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    runId: text('run_id').references(() => runs.runId),
    batchId: text('batch_id').references(() => batches.batchId),
    kind: text('kind').notNull(),
    key: text('key').notNull(),
    detail: text('detail').notNull(),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('events_run_key')
      .on(t.runId, t.key)
      .where(sql`run_id is not null`),
    uniqueIndex('events_batch_key')
      .on(t.batchId, t.key)
      .where(sql`run_id is null and batch_id is not null`),
    uniqueIndex('events_key')
      .on(t.key)
      .where(sql`run_id is null and batch_id is null`),
    index('events_batch').on(t.batchId, t.at),
  ],
);
