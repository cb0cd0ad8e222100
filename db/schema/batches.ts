import { sql } from 'drizzle-orm';
import { bigint, check, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { BATCH_STATUSES } from '../../domain/outcomes.js';
import { createdAt, money, oneOf, time } from './columns.js';

export const batches = pgTable(
  'batches',
  {
    batchId: text('batch_id').primaryKey(),
    name: text('name').unique('batches_name_unique'),
    spec: jsonb('spec').$type<Record<string, unknown>>().notNull(),
    seed: bigint('seed', { mode: 'number' }).notNull(),
    concurrency: integer('concurrency').notNull(),
    budgetUsd: money('budget_usd'),
    status: text('status', { enum: BATCH_STATUSES }).notNull().default('queued'),
    createdAt: createdAt(),
    startedAt: time('started_at'),
    endedAt: time('ended_at'),
  },
  () => [check('batches_status', oneOf('status', BATCH_STATUSES)), check('batches_concurrency', sql`concurrency > 0`)],
);
