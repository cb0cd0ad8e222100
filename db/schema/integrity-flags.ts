import { check, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { INTEGRITY_RULES } from '../../domain/run/integrity-rules.js';
import { createdAt, oneOf } from './columns.js';
import { runs } from './runs.js';

/** From flag_integrity() for ended runs; a rule fires once per run. */
export const integrityFlags = pgTable(
  'integrity_flags',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId, { onDelete: 'cascade' }),
    rule: text('rule', { enum: INTEGRITY_RULES }).notNull(),
    /** First step where it shows; null: no single step. */
    step: integer('step'),
    /** Last step whose score it makes suspect; null: to the end. */
    until: integer('until'),
    detail: text('detail').notNull(),
    version: integer('version').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: 'integrity_flags_pkey', columns: [t.runId, t.rule] }),
    check('integrity_flags_rule', oneOf('rule', INTEGRITY_RULES)),
  ],
);
