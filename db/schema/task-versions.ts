import { sql } from 'drizzle-orm';
import { check, doublePrecision, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { TaskSpec } from '../../domain/task/task.js';
import { createdAt, oneOf } from './columns.js';
import { DIRECTIONS } from './enums.js';

export const taskVersions = pgTable(
  'task_versions',
  {
    contentHash: text('content_hash').primaryKey(),
    taskId: text('task_id').notNull(),
    /** Scores of different contracts may not be compared. */
    contract: integer('contract').notNull(),
    name: text('name').notNull(),
    spec: jsonb('spec').$type<TaskSpec>().notNull(),
    primaryMetric: text('primary_metric').notNull(),
    direction: text('direction', { enum: DIRECTIONS }).notNull(),
    boundMin: doublePrecision('bound_min'),
    boundMax: doublePrecision('bound_max'),
    createdAt: createdAt(),
  },
  (t) => [index('task_versions_task').on(t.taskId), check('task_versions_direction', oneOf('direction', DIRECTIONS))],
);

export const baselines = pgTable(
  'baselines',
  {
    contentHash: text('content_hash')
      .primaryKey()
      .references(() => taskVersions.contentHash),
    value: doublePrecision('value').notNull(),
    standardError: doublePrecision('standard_error').notNull(),
    /** Finished runs that measured it; null: it is stated. */
    runs: integer('runs'),
    createdAt: createdAt(),
  },
  () => [check('baselines_finite', sql`value not in ('NaN', 'Infinity', '-Infinity')`)],
);

/** A version's starter files, and what its baseline command made of them. */
export const starterSubmissions = pgTable(
  'starter_submissions',
  {
    contentHash: text('content_hash')
      .notNull()
      .references(() => taskVersions.contentHash),
    sha256: text('sha256').notNull(),
  },
  (t) => [primaryKey({ name: 'starter_submissions_pkey', columns: [t.contentHash, t.sha256] })],
);
