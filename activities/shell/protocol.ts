import { z } from 'zod';
import type { CommandOutcome, SandboxCommand } from '../../domain/ports/sandbox-port.js';

/**
 * What passes between the worker and the sandbox's supervisor (images/agent/durable_shell): requests and replies as lines of
 * JSON over the control socket, outcomes as files of the control directory.
 */

export type ControlRequest = { op: 'ping' } | ({ op: 'submit' } & SandboxCommand) | { op: 'interrupt'; n: number };

export const replySchema = z.union([
  z.object({ ok: z.literal(true) }),
  z.object({ done: z.number().int() }),
  z.object({ error: z.string() }),
]);
export type ControlReply = z.infer<typeof replySchema>;

/** Head and tail of the output, each byte of it in the longest form that JSON knows, and some room. */
export const OUTCOME_FILE_LIMIT = 2 * 1024 * 1024;

const outcomeSchema = z.object({
  exitCode: z.number().int().min(0).max(255).nullable(),
  timedOut: z.boolean(),
  interrupted: z.boolean(),
  lost: z.boolean(),
  output: z.string(),
  outputBytes: z.number().int().nonnegative(),
  stateReset: z.boolean(),
  notice: z.string().max(10_000).nullable(),
  workingDir: z.string().max(5000),
  requested: z.enum(['validate', 'submit']).nullable(),
  ms: z.number().nonnegative(),
  pid: z.number().int().nullable(),
});

/** Throws when the text is no outcome. Its strings can go anywhere: no NUL, no half characters. */
export function parseOutcome(text: string): CommandOutcome {
  const outcome = outcomeSchema.parse(JSON.parse(text));
  return {
    ...outcome,
    output: storable(outcome.output),
    notice: outcome.notice === null ? null : storable(outcome.notice),
    workingDir: storable(outcome.workingDir),
  };
}

/** Postgres text holds no NUL, and JSON may smuggle in lone surrogates. */
const storable = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd');
