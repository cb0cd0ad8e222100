import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { ToolCall } from '../../domain/model/model.js';
import { createdAt, milliseconds, money, notNegative, oneOf, time } from './columns.js';
import { CALL_STATUSES } from './enums.js';
import { runs } from './runs.js';

const tokens = (name: string) => bigint(name, { mode: 'number' });

/** (run, step, try) is the question, `attempt` counts its repetitions. */
export const modelCalls = pgTable(
  'model_calls',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    try: integer('try').notNull(),
    attempt: integer('attempt').notNull(),
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    /** Host and path of the call; null: no server. */
    endpoint: text('endpoint'),
    /** SHA-256 over provider, model and messages, to compare repeated questions. */
    requestHash: text('request_hash').notNull(),
    requestMessages: integer('request_messages').notNull(),
    reservedUsd: money('reserved_usd').notNull().default('0'),
    status: text('status', { enum: CALL_STATUSES }).notNull().default('reserved'),
    response: text('response'),
    finishReason: text('finish_reason'),
    inputTokens: tokens('input_tokens'),
    outputTokens: tokens('output_tokens'),
    cachedTokens: tokens('cached_tokens'),
    reasoningTokens: tokens('reasoning_tokens'),
    cacheWriteTokens: tokens('cache_write_tokens'),
    /** Part of these: kept for an hour. */
    cacheWriteHourTokens: tokens('cache_write_hour_tokens'),
    /** Why usage and cost are our own estimate; null: they are the provider's. */
    usageProblem: text('usage_problem'),
    toolCalls: jsonb('tool_calls').$type<ToolCall[]>(),
    /** As steps.reasoning; of requeries too. */
    reasoning: text('reasoning'),
    costUsd: money('cost_usd'),
    ms: milliseconds('ms'),
    error: text('error'),
    /** For people, in our words. */
    errorDetail: text('error_detail'),
    /** Null: the call is not retried. */
    retryAt: time('retry_at'),
    createdAt: createdAt(),
    sentAt: time('sent_at'),
    worker: text('worker'),
    /** Limit of that worker's wait; null: answered at once, or fails by itself. */
    givesUpAt: time('gives_up_at'),
    endedAt: time('ended_at'),
  },
  (t) => [
    primaryKey({ name: 'model_calls_pkey', columns: [t.runId, t.step, t.try, t.attempt] }),
    uniqueIndex('model_calls_one_answer')
      .on(t.runId, t.step, t.try)
      .where(sql`status = 'confirmed'`),
    /** For counting unanswered calls; answered ones are counted in `runs.answered_calls`. */
    index('model_calls_unanswered')
      .on(t.provider, t.status)
      .where(sql`status <> 'confirmed'`),
    check('model_calls_status', oneOf('status', CALL_STATUSES)),
    check(
      'model_calls_amounts',
      notNegative({
        money: ['reserved_usd', 'cost_usd'],
        tokens: [
          'input_tokens',
          'output_tokens',
          'cached_tokens',
          'reasoning_tokens',
          'cache_write_tokens',
          'cache_write_hour_tokens',
        ],
      }),
    ),
  ],
);

/** Models that billed more than was reserved: later calls reserve `factor` times the estimate. */
export const reservationFactors = pgTable(
  'reservation_factors',
  {
    account: text('account').notNull(),
    model: text('model').notNull(),
    factor: numeric('factor', { precision: 12, scale: 2 }).notNull(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'reservation_factors_pkey', columns: [t.account, t.model] }),
    check('reservation_factors_factor', sql`factor > 1 and factor <> 'NaN'`),
  ],
);
