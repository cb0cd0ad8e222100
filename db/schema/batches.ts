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
    /** Not `bench`: its runs were imported, and it has no workflow. */
    origin: text('origin', { enum: ORIGINS }).notNull().default('bench'),
    /** By `bench tasks verify`: its runs rank only in its own leaderboard. */
    verification: boolean('verification').notNull().default(false),
    /** Trainers play its runs, which rank only in its own leaderboard. */
    training: boolean('training').notNull().default(false),
    /** Its runs are nodes of that batch's search trees, spend its budget, and rank nowhere. */
    parentBatch: text('parent_batch').references((): AnyPgColumn => batches.batchId),
    spec: jsonb('spec').$type<Record<string, unknown>>().notNull(),
    seed: bigint('seed', { mode: 'number' }).notNull(),
    concurrency: integer('concurrency').notNull(),
    /** 1 (first) to 5 (last), when batches compete. */
    priority: integer('priority').notNull().default(3),
    budgetUsd: money('budget_usd'),
    /** With a budget: confirmed costs, plus reservations of pending or lost calls. */
    chargedUsd: money('charged_usd').notNull().default('0'),
    forecast: jsonb('forecast').$type<UsageForecast>(),
    /** With `attempts: auto`; null: the attempts are fixed. */
    allocation: jsonb('allocation').$type<Allocation>(),
    /** No run has started since; null: not paused. */
    pausedAt: time('paused_at'),
    pauseReason: text('pause_reason'),
    /** Runs in a row that end by one cause before it pauses itself; null: never. */
    breaker: integer('breaker'),
    /** What ended its last runs; null: they ended otherwise. */
    failingCause: text('failing_cause', { enum: END_CAUSES }),
    failingRuns: integer('failing_runs').notNull().default(0),
    status: text('status', { enum: BATCH_STATUSES }).notNull().default('queued'),
    /** Since when lists and default leaderboards omit it; null: they have it. */
    archivedAt: time('archived_at'),
    /** People's own words; so with runs. */
    note: text('note'),
    tags: text('tags').array().notNull().default([]),
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
