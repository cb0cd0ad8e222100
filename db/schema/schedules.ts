import { sql } from 'drizzle-orm';
import { boolean, check, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { BatchRequestInput } from '../../domain/requests/batch.js';
import { OVERLAPS } from '../../domain/requests/schedule.js';
import { GATE_OUTCOMES } from '../../domain/statistics/gate.js';
import { batches } from './batches.js';
import { createdAt, oneOf, time } from './columns.js';

/** Temporal's schedules follow these rows. */
export const schedules = pgTable(
  'schedules',
  {
    name: text('name').primaryKey(),
    cron: text('cron').notNull(),
    overlap: text('overlap', { enum: OVERLAPS }).notNull(),
    request: jsonb('request').$type<BatchRequestInput>().notNull(),
    paused: boolean('paused').notNull().default(false),
    /** As Temporal last said; null: never, or paused. */
    nextAt: time('next_at'),
    createdAt: createdAt(),
  },
  () => [check('schedules_overlap', oneOf('overlap', OVERLAPS))],
);

export const scheduleRuns = pgTable(
  'schedule_runs',
  {
    schedule: text('schedule')
      .notNull()
      .references(() => schedules.name, { onDelete: 'cascade' }),
    dueAt: time('due_at').notNull(),
    batchId: text('batch_id').references(() => batches.batchId),
    baseBatchId: text('base_batch_id').references(() => batches.batchId),
    outcome: text('outcome', { enum: GATE_OUTCOMES }),
    accepted: boolean('accepted').notNull().default(false),
    detail: text('detail'),
    decidedAt: time('decided_at'),
  },
  (t) => [
    primaryKey({ columns: [t.schedule, t.dueAt] }),
    index('schedule_runs_batch').on(t.batchId),
    check('schedule_runs_outcome', oneOf('outcome', GATE_OUTCOMES)),
    check('schedule_runs_decided', sql`(outcome is null) = (decided_at is null)`),
  ],
);
