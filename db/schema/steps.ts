import { bigint, boolean, check, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { ToolState } from '../../domain/agent/tool-state.js';
import { createdAt, milliseconds, oneOf, time } from './columns.js';
import { runs } from './runs.js';

export const steps = pgTable(
  'steps',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    response: text('response').notNull(),
    /** JSON as text: what the model wants back with its tool calls. Null: nothing. */
    reasoning: text('reasoning'),
    thought: text('thought').notNull(),
    action: text('action'),
    modelMs: milliseconds('model_ms'),
    createdAt: createdAt(),

    /** What the agent sees: the command's output, then the message of a `validate`. */
    observation: text('observation'),
    exitCode: integer('exit_code'),
    timedOut: boolean('timed_out').notNull().default(false),
    lost: boolean('lost').notNull().default(false),
    outputBytes: bigint('output_bytes', { mode: 'number' }),
    requested: text('requested', { enum: ['validate', 'submit'] }),
    workingDir: text('working_dir'),
    /** Of special commands, for prompts: open file, memory. Null: none. */
    toolState: jsonb('tool_state').$type<ToolState>(),
    commandMs: milliseconds('command_ms'),
    /** The command's outcome never changes after that. */
    executedAt: time('executed_at'),
  },
  (t) => [
    primaryKey({ name: 'steps_pkey', columns: [t.runId, t.step] }),
    check('steps_requested', oneOf('requested', ['validate', 'submit'])),
  ],
);
