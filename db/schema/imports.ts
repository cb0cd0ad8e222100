import { check, integer, jsonb, pgTable, text, unique } from 'drizzle-orm/pg-core';
import type { Metrics } from '../../domain/run/score.js';
import { batches } from './batches.js';
import { createdAt, oneOf } from './columns.js';
import { runs } from './runs.js';

export const IMPORT_FORMATS = ['mlgym', 'jsonl', 'atif', 'inspect'] as const;

/** Where an imported run came from, and the parts of its record that have no other column. */
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
    /** Id of the key whose signature of the line was verified; null: none, or not a line. */
    signedBy: text('signed_by'),
    /** As recorded, possibly empty; null: not recorded. */
    rawExitStatus: text('raw_exit_status'),
    modelStats: jsonb('model_stats').$type<Record<string, number>>(),
    submission: text('submission'),
    /** The baseline stored with this run. */
    baseline: jsonb('baseline').$type<Metrics>(),
    environment: text('environment'),
    /** args.yaml without what looks like a secret. */
    args: jsonb('args').$type<unknown>(),
    /** The first messages of its history: system, task. */
    prompt: jsonb('prompt').$type<{ role: string; content: string }[]>(),
    /** What its history has after each step's observation: the status lines; null: not kept, or not separable. */
    footers: jsonb('footers').$type<(string | null)[]>(),
    historyMessages: integer('history_messages'),
    /** The last action in its history, which may have no step. */
    lastAction: text('last_action'),
    /** Remarks of its import's report. */
    remarks: jsonb('remarks').$type<unknown[]>().notNull().default([]),
    createdAt: createdAt(),
  },
  (t) => [
    unique('imports_content_unique').on(t.contentHash),
    unique('imports_source_unique').on(t.batchId, t.source),
    check('imports_format', oneOf('format', IMPORT_FORMATS)),
  ],
);
