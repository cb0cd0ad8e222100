import { boolean, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/** Imported tasks whose evaluator the agent could reach, by contract, for the integrity rules. */
export const taskIntegrity = pgTable(
  'task_integrity',
  {
    taskId: text('task_id').notNull(),
    contract: integer('contract').notNull(),
    /** Files of the evaluator, an opponent or a solver, relative to the workspace. */
    protectedFiles: text('protected_files').array().notNull(),
    /** Submission files of the starter, relative to the workspace. */
    starterFiles: text('starter_files').array().notNull().default([]),
    /** Reachable files that the score is computed from. */
    answerFiles: text('answer_files').array().notNull().default([]),
    selfReported: boolean('self_reported').notNull().default(false),
  },
  (t) => [primaryKey({ name: 'task_integrity_pkey', columns: [t.taskId, t.contract] })],
);
