import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt, time } from './columns.js';
import { runs } from './runs.js';

/** What the steps of a program are: model calls through the gateway, validations, its end. */
export const programSteps = pgTable(
  'program_steps',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    /** Names the call, the validation or the end, so that repeating it takes no other step. */
    key: text('key').notNull(),
    /** Of calls: which of the program's agents asks; empty: its only one. */
    agent: text('agent').notNull().default(''),
    wire: text('wire'),
    fingerprint: text('fingerprint'),
    /** The provider's whole answer. */
    answer: jsonb('answer'),
    /** The client's connection broke before it had all of the answer. */
    clientGone: boolean('client_gone').notNull().default(false),
    handedOutAt: time('handed_out_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: 'program_steps_pkey', columns: [t.runId, t.step] }),
    uniqueIndex('program_steps_key').on(t.runId, t.key),
    index('program_steps_fingerprint').on(t.runId, t.fingerprint),
  ],
);
