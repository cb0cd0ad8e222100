import { boolean, index, integer, json, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt, time } from './columns.js';
import { runs } from './runs.js';

/** A program's steps: model calls through the gateway, validations, its end. */
export const programSteps = pgTable(
  'program_steps',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    /** Makes a repeated call, validation or end the same step. */
    key: text('key').notNull(),
    /** Of calls: which of the program's agents asks; empty: its only one. */
    agent: text('agent').notNull().default(''),
    wire: text('wire'),
    fingerprint: text('fingerprint'),
    epoch: integer('epoch').notNull().default(1),
    /** Hash of the request without what restarts change: dates, ids, durations. */
    likeness: text('likeness'),
    /** As sent, with `$part`s and ordered keys. */
    request: json('request'),
    answer: jsonb('answer'),
    clientDisconnected: boolean('client_disconnected').notNull().default(false),
    deliveredAt: time('delivered_at'),
    /** The last container whose program got it again. */
    replayedEpoch: integer('replayed_epoch'),
    abandoned: boolean('abandoned').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: 'program_steps_pkey', columns: [t.runId, t.step] }),
    uniqueIndex('program_steps_key').on(t.runId, t.key),
    index('program_steps_fingerprint').on(t.runId, t.fingerprint),
  ],
);

/** Long parts of requests, once per run: each request repeats the conversation. */
export const programParts = pgTable(
  'program_parts',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    hash: text('hash').notNull(),
    part: json('part').notNull(),
  },
  (t) => [primaryKey({ name: 'program_parts_pkey', columns: [t.runId, t.hash] })],
);

export const programCounts = pgTable(
  'program_counts',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    fingerprint: text('fingerprint').notNull(),
    epoch: integer('epoch').notNull(),
    agent: text('agent').notNull(),
    likeness: text('likeness').notNull(),
    request: json('request').notNull(),
    answer: jsonb('answer').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: 'program_counts_pkey', columns: [t.runId, t.fingerprint] }),
    index('program_counts_likeness').on(t.runId, t.likeness),
  ],
);
