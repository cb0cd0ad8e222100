import { boolean, index, integer, json, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
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
    /** The container that it was asked in. */
    epoch: integer('epoch').notNull().default(1),
    /** Of the request, without what another start of the program says otherwise: dates, ids, durations. */
    likeness: text('likeness'),
    /** What was sent, with `$part`s, and its keys in their order. */
    request: json('request'),
    /** The provider's whole answer. */
    answer: jsonb('answer'),
    /** The client's connection broke before it had all of the answer. */
    clientDisconnected: boolean('client_disconnected').notNull().default(false),
    deliveredAt: time('delivered_at'),
    /** The last container whose program got it again. */
    replayedEpoch: integer('replayed_epoch'),
    /** A program in a later container went another way. */
    abandoned: boolean('abandoned').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: 'program_steps_pkey', columns: [t.runId, t.step] }),
    uniqueIndex('program_steps_key').on(t.runId, t.key),
    index('program_steps_fingerprint').on(t.runId, t.fingerprint),
  ],
);

/** Long parts of requests, once a run: each request tells the whole conversation again. */
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

/** Token counts that programs asked the provider for. */
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
