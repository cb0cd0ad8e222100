import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import { END_CAUSES } from '../../domain/run/end-cause.js';
import { DEFAULT_PROJECT } from '../../domain/home/project.js';
import { BATCH_STATUSES } from '../../domain/run/outcomes.js';
import { ORIGINS } from '../../domain/run/run.js';
import type { Allocation } from '../../domain/views/allocation.js';
import type { UsageForecast } from '../../domain/views/forecast.js';
import { createdAt, money, notNegative, oneOf, time } from './columns.js';

export const batches = pgTable(
  'batches',
  {
    batchId: text('batch_id').primaryKey(),
    project: text('project').notNull().default(DEFAULT_PROJECT),
    /** Unique in its project. */
    name: text('name'),
    /** Other than `bench`: its runs were imported, and it has no workflow. */
    origin: text('origin', { enum: ORIGINS }).notNull().default('bench'),
    /** Made by `bench tasks verify`: its runs rank only in its own leaderboard. */
    verification: boolean('verification').notNull().default(false),
    /** Trainers play its runs: they rank in its own leaderboard alone. */
    training: boolean('training').notNull().default(false),
    /** Its runs are nodes of a search tree of that batch, of whose budget they spend: they rank nowhere. Null: they are not. */
    parentBatch: text('parent_batch').references((): AnyPgColumn => batches.batchId),
    spec: jsonb('spec').$type<Record<string, unknown>>().notNull(),
    seed: bigint('seed', { mode: 'number' }).notNull(),
    concurrency: integer('concurrency').notNull(),
    /** 1 (first) to 5 (last), when batches compete. */
    priority: integer('priority').notNull().default(3),
    budgetUsd: money('budget_usd'),
    /** With a budget: confirmed costs, plus reservations of calls whose answer is pending or was lost. */
    chargedUsd: money('charged_usd').notNull().default('0'),
    /** What it was expected to use when it was submitted; null: not requested. */
    forecast: jsonb('forecast').$type<UsageForecast>(),
    /** With `attempts: auto`; null: the attempts are fixed. */
    allocation: jsonb('allocation').$type<Allocation>(),
    /** When it was paused: no run is started since; null: not paused. */
    pausedAt: time('paused_at'),
    /** Why it paused itself; null: it did not. */
    pauseReason: text('pause_reason'),
    /** Runs that end in a row by one cause before it pauses itself; null: it never does. */
    breaker: integer('breaker'),
    /** What ended its last runs; null: they ended otherwise. */
    failingCause: text('failing_cause', { enum: END_CAUSES }),
    /** How many runs in a row that was. */
    failingRuns: integer('failing_runs').notNull().default(0),
    status: text('status', { enum: BATCH_STATUSES }).notNull().default('queued'),
    createdAt: createdAt(),
    startedAt: time('started_at'),
    endedAt: time('ended_at'),
  },
  (t) => [
    unique('batches_project_name_unique').on(t.project, t.name),
    index('batches_parent_batch')
      .on(t.parentBatch)
      .where(sql`parent_batch is not null`),
    check('batches_origin', oneOf('origin', ORIGINS)),
    check('batches_status', oneOf('status', BATCH_STATUSES)),
    check('batches_concurrency', sql`concurrency > 0`),
    check('batches_priority', sql`priority between 1 and 5`),
    check('batches_breaker', sql`breaker > 0`),
    check('batches_failing_cause', oneOf('failing_cause', END_CAUSES)),
    check('batches_budget', sql`budget_usd > 0 and budget_usd <> 'NaN'`),
    check('batches_amounts', notNegative({ money: ['charged_usd'] })),
  ],
);
