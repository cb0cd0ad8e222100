import { boolean, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/**
 * What the integrity marks must know of tasks whose evaluator lay in the agent's reach: imported ones, by contract. Of ours nothing is
 * listed: none of these files is in the agent's world, and metrics come from the referee.
 */
export const taskIntegrity = pgTable(
  'task_integrity',
  {
    taskId: text('task_id').notNull(),
    contract: integer('contract').notNull(),
    /** Relative to the workspace: of the evaluator, an opponent, a solver. */
    protectedFiles: text('protected_files').array().notNull(),
    /** The primary metric is a value that the agent writes. */
    selfReported: boolean('self_reported').notNull().default(false),
  },
  (t) => [primaryKey({ name: 'task_integrity_pkey', columns: [t.taskId, t.contract] })],
);
