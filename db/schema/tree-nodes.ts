import { sql } from 'drizzle-orm';
import { bigint, check, doublePrecision, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { NODE_STATUSES, OPERATORS } from '../../domain/tree/tree.js';
import { createdAt, money, notNegative, oneOf, time } from './columns.js';
import { runs } from './runs.js';
import { trees } from './trees.js';

/** Nodes of trees, each a run. Edges are `parent` and `second_parent`. */
export const treeNodes = pgTable(
  'tree_nodes',
  {
    treeRunId: text('tree_run_id')
      .notNull()
      .references(() => trees.runId),
    /** From 0, in the order in which nodes are opened. */
    node: integer('node').notNull(),
    runId: text('run_id')
      .notNull()
      .unique('tree_nodes_run_unique')
      .references(() => runs.runId),
    /** From 1; those of a wave are played at once. */
    wave: integer('wave').notNull(),
    operator: text('operator', { enum: OPERATORS }).notNull(),
    /** The node that it continues; null: none. */
    parent: integer('parent'),
    /** Of a crossover, the other one; of an ensemble, the best of the others. */
    secondParent: integer('second_parent'),
    /** Of a draft, what follows the task in its prompt. */
    note: text('note'),
    status: text('status', { enum: NODE_STATUSES }).notNull().default('open'),
    /** By validation, higher is better whatever the task's direction. */
    value: doublePrecision('value'),
    /** Limits; null and 0: none. Charged to the tree while the node is open. */
    reservedUsd: money('reserved_usd'),
    reservedTokens: bigint('reserved_tokens', { mode: 'number' }).notNull(),
    reservedSeconds: integer('reserved_seconds').notNull(),
    /** What it used, lost answers included; null: not settled yet. */
    spentUsd: money('spent_usd'),
    spentTokens: bigint('spent_tokens', { mode: 'number' }),
    spentSeconds: doublePrecision('spent_seconds'),
    validations: integer('validations'),
    createdAt: createdAt(),
    settledAt: time('settled_at'),
  },
  (t) => [
    primaryKey({ name: 'tree_nodes_pkey', columns: [t.treeRunId, t.node] }),
    check('tree_nodes_operator', oneOf('operator', OPERATORS)),
    check('tree_nodes_status', oneOf('status', NODE_STATUSES)),
    check('tree_nodes_settled', sql`(status = 'open') = (settled_at is null)`),
    check('tree_nodes_value', sql`(status = 'scored') = (value is not null)`),
    check('tree_nodes_order', sql`parent < node and second_parent < node`),
    check(
      'tree_nodes_amounts',
      notNegative({ money: ['reserved_usd', 'spent_usd'], tokens: ['reserved_tokens', 'spent_tokens'] }),
    ),
  ],
);
