import { boolean, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/**
 * Imported tasks whose evaluator was within the agent's reach, by contract, for the integrity rules. Our own tasks are not listed:
 * their evaluators are outside the sandbox.
 */
export const taskIntegrity = pgTable(
  'task_integrity',
  {
    taskId: text('task_id').notNull(),
    contract: integer('contract').notNull(),
    /** Files of the evaluator, an opponent or a solver, relative to the workspace. */
    protectedFiles: text('protected_files').array().notNull(),
    /** What is handed in, where the starter has it already; relative to the workspace. */
    starterFiles: text('starter_files').array().notNull().default([]),
    /** What the evaluator computes the score from, where it lies within the agent's reach. */
    answerFiles: text('answer_files').array().notNull().default([]),
    /** The agent itself writes the primary metric's value. */
    selfReported: boolean('self_reported').notNull().default(false),
  },
  (t) => [primaryKey({ name: 'task_integrity_pkey', columns: [t.taskId, t.contract] })],
);
