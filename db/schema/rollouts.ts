import { sql } from 'drizzle-orm';
import {
  bigint,
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
import { CAPTURE_LEVELS, type CapturedCall } from '../../domain/rollouts/captured-tokens.js';
import { oneOf, time } from './columns.js';
import { episodes } from './episodes.js';
import { runs } from './runs.js';

/** Episodes that bench plays, with a trainer's endpoint as the model. */
export const rollouts = pgTable(
  'rollouts',
  {
    runId: text('run_id')
      .primaryKey()
      .references(() => episodes.runId),
    capture: text('capture', { enum: CAPTURE_LEVELS }).notNull(),
    /** The endpoint's key and headers, encrypted; null: none, or the rollout has ended. */
    sealed: text('sealed'),
    /** Order of delivered ends, from 1 without gaps; null: not ended, or not polled. */
    endSequence: bigint('end_sequence', { mode: 'number' }),
    acknowledgedAt: time('acknowledged_at'),
  },
  (t) => [
    uniqueIndex('rollouts_end_sequence_unique').on(t.endSequence),
    index('rollouts_unnumbered')
      .on(t.runId)
      .where(sql`end_sequence is null`),
    check('rollouts_capture', oneOf('capture', CAPTURE_LEVELS)),
  ],
);

/** Captured answers to model calls of rollouts, until these are acknowledged. */
export const capturedCalls = pgTable(
  'captured_calls',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    try: integer('try').notNull(),
    level: text('level', { enum: CAPTURE_LEVELS }).notNull(),
    promptTokenIds: integer('prompt_token_ids').array(),
    tokenIds: integer('token_ids').array(),
    logprobs: doublePrecision('logprobs').array(),
    request: jsonb('request').$type<CapturedCall['request']>().notNull(),
  },
  (t) => [
    primaryKey({ name: 'captured_calls_pkey', columns: [t.runId, t.step, t.try] }),
    check('captured_calls_level', oneOf('level', CAPTURE_LEVELS)),
    check(
      'captured_calls_whole',
      sql`level <> 'tokens' or (prompt_token_ids is not null and cardinality(token_ids) = cardinality(logprobs))`,
    ),
  ],
);
