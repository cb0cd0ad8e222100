import { check, integer, jsonb, pgTable, text, unique } from 'drizzle-orm/pg-core';
import type { Metrics } from '../../domain/run/score.js';
import { batches } from './batches.js';
import { createdAt, oneOf } from './columns.js';
import { runs } from './runs.js';

export const IMPORT_FORMATS = ['mlgym', 'jsonl', 'atif', 'inspect'] as const;

/** Source of an imported run, and parts of its record without other columns. */
export const imports = pgTable(
  'imports',
  {
    runId: text('run_id')
      .primaryKey()
      .references(() => runs.runId),
    batchId: text('batch_id')
      .notNull()
      .references(() => batches.batchId),
    format: text('format', { enum: IMPORT_FORMATS }).notNull(),
    /** The run directory's name without parent folders; for a line of JSON the run's id. */
    source: text('source').notNull(),
    /** SHA-256 over the directory's name and its files, or over the line. */
    contentHash: text('content_hash').notNull(),
    /** Id of the key that verified the line's signature; null: none, or not a line. */
    signedBy: text('signed_by'),
    /** As recorded, possibly empty; null: not recorded. */
    rawExitStatus: text('raw_exit_status'),
    modelStats: jsonb('model_stats').$type<Record<string, number>>(),
    submission: text('submission'),
    baseline: jsonb('baseline').$type<Metrics>(),
    environment: text('environment'),
    /** args.yaml without what looks like a secret. */
    args: jsonb('args').$type<unknown>(),
    /** The first messages of its history: system, task. */
    prompt: jsonb('prompt').$type<{ role: string; content: string }[]>(),
    /** Status lines after each observation in its history; null: not kept, or inseparable. */
    footers: jsonb('footers').$type<(string | null)[]>(),
    historyMessages: integer('history_messages'),
    /** The last action in its history, which may have no step. */
    lastAction: text('last_action'),
    remarks: jsonb('remarks').$type<unknown[]>().notNull().default([]),
    createdAt: createdAt(),
  },
  (t) => [
    unique('imports_content_unique').on(t.contentHash),
    unique('imports_source_unique').on(t.batchId, t.source),
    check('imports_format', oneOf('format', IMPORT_FORMATS)),
  ],
);
