import { sql } from 'drizzle-orm';
import { bigint, check, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { TREE_STOPS } from '../../domain/tree/budget.js';
import { batches } from './batches.js';
import { createdAt, money, notNegative, oneOf, time } from './columns.js';
import { runs } from './runs.js';

/** Runs that play a tree of forks: its limits, and what came of it. */
export const trees = pgTable(
  'trees',
  {
    /** The attempt that the whole tree is. */
    runId: text('run_id')
      .primaryKey()
      .references(() => runs.runId),
    /** Holds its nodes alone. */
    batchId: text('batch_id')
      .notNull()
      .unique('trees_batch_unique')
      .references(() => batches.batchId),
    policy: text('policy').notNull(),
    maxNodes: integer('max_nodes').notNull(),
    maxValidations: integer('max_validations').notNull(),
    /** Null: no limit. */
    costLimitUsd: money('cost_limit_usd'),
    /** 0: no limit; so with seconds. */
    tokenLimit: bigint('token_limit', { mode: 'number' }).notNull(),
    secondsLimit: integer('seconds_limit').notNull(),
    /** Why it opened no more nodes; null: it continues. */
    stopped: text('stopped', { enum: TREE_STOPS }),
    /** The node that it stands for, by validation; null: none, or not known yet. */
    selectedNode: integer('selected_node'),
    createdAt: createdAt(),
    stoppedAt: time('stopped_at'),
  },
  () => [
    check('trees_limits', sql`max_nodes > 0 and max_validations > 0 and token_limit >= 0 and seconds_limit >= 0`),
    check('trees_stopped', oneOf('stopped', TREE_STOPS)),
    check('trees_amounts', notNegative({ money: ['cost_limit_usd'] })),
  ],
);
