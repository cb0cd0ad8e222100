import { boolean, check, doublePrecision, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { createdAt } from './columns.js';

/** What a published table compared. Its figures depend on the whole set, so a new model or task must not change it. */
export const savedComparisons = pgTable(
  'saved_comparisons',
  {
    name: text('name').primaryKey(),
    models: text('models').array().notNull(),
    tasks: text('tasks').array().notNull(),
    /** The tasks' contracts, in their order; runs of other contracts are left out. */
    contracts: integer('contracts').array().notNull(),
    /** The tasks' baselines when it was saved, in their order; null: none. */
    baselines: doublePrecision('baselines').array().notNull(),
    /** The baselines' standard errors and the tasks' targets then, in the tasks' order; null: not kept, those of now hold. */
    standardErrors: doublePrecision('standard_errors').array(),
    targets: doublePrecision('targets').array(),
    k: integer('k'),
    /** Length of the profiles' axis, in log10 units. */
    axis: doublePrecision('axis').notNull().default(1),
    mode: text('mode', { enum: ['strict', 'compat'] })
      .notNull()
      .default('strict'),
    metric: text('metric', { enum: ['best-attempt', 'best-submission'] })
      .notNull()
      .default('best-attempt'),
    /** What orders the rows. */
    orderBy: text('order_by', { enum: ['win-rate', 'gain', 'aup', 'rank'] })
      .notNull()
      .default('rank'),
    includeSuspect: boolean('include_suspect').notNull().default(false),
    includeLocal: boolean('include_local').notNull().default(false),
    includeImported: boolean('include_imported').notNull().default(false),
    includeScripted: boolean('include_scripted').notNull().default(false),
    /** Compares runs on sample data; false: on real data. Tasks without data count in both. */
    sample: boolean('sample').notNull().default(false),
    /** Profile of the runs; tasks without it count as they are. */
    profile: text('profile').notNull().default('default'),
    batchId: text('batch_id'),
    createdAt: createdAt(),
  },
  () => [
    check('saved_comparisons_axis', sql`axis > 0 and axis < 'Infinity'`),
    check('saved_comparisons_contracts', sql`cardinality(contracts) = cardinality(tasks)`),
    check('saved_comparisons_baselines', sql`cardinality(baselines) = cardinality(tasks)`),
  ],
);
