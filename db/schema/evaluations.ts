import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Metrics } from '../../domain/run/score.js';
import { createdAt, milliseconds, oneOf, time } from './columns.js';
import { EVALUATION_KINDS, EVALUATION_ROW_STATUSES, ISOLATIONS } from './enums.js';
import { runs } from './runs.js';

export const evaluations = pgTable(
  'evaluations',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    kind: text('kind', { enum: EVALUATION_KINDS }).notNull(),
    /** Leaderboards use `test`. */
    split: text('split').notNull().default('test'),
    /** From 1, in the order in which the run's evaluations began. */
    number: integer('number').notNull(),
    status: text('status', { enum: EVALUATION_ROW_STATUSES }).notNull().default('pending'),
    metrics: jsonb('metrics').$type<Metrics>(),
    primaryScore: doublePrecision('primary_score'),
    /** The submission is the task's starter, as it is or as its baseline command makes it. */
    unchanged: boolean('unchanged').notNull().default(false),
    /** Outside the task's declared bounds. */
    suspect: boolean('suspect').notNull().default(false),
    message: text('message').notNull().default(''),
    submissionSha256: text('submission_sha256'),
    /** At a forced end: step whose `validate` the submission comes from; null: the workspace. */
    fromStep: integer('from_step'),
    isolation: text('isolation', { enum: ISOLATIONS }),
    /** Content hash of the task folder, which contains the evaluator. */
    evaluatorVersion: text('evaluator_version').notNull(),
    contract: integer('contract').notNull(),
    ms: milliseconds('ms'),
    createdAt: createdAt(),
    endedAt: time('ended_at'),
  },
  (t) => [
    primaryKey({ name: 'evaluations_pkey', columns: [t.runId, t.step, t.kind, t.split] }),
    uniqueIndex('evaluations_number_unique').on(t.runId, t.split, t.number),
    index('evaluations_submission').on(t.submissionSha256),
    check('evaluations_kind', oneOf('kind', EVALUATION_KINDS)),
    check('evaluations_status', oneOf('status', EVALUATION_ROW_STATUSES)),
    check('evaluations_isolation', oneOf('isolation', ISOLATIONS)),
    check('evaluations_finite', sql`primary_score not in ('NaN', 'Infinity', '-Infinity')`),
  ],
);
