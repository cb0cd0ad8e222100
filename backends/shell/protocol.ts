import { z } from 'zod';
import { storable } from '../../domain/text/storable.js';
import { gpuSchema } from '../../domain/agent/tool-state.js';
import type { ExecRequest } from './exec-request.js';
import type { CommandOutcome, OffClock, SandboxCommand } from '../../domain/ports/sandbox-port.js';

/**
 * Protocol between the worker and the supervisor (images/agent/durable_shell): requests and replies
 * are lines of JSON over the control socket, outcomes are files of the control directory.
 */

export type ControlRequest =
  | { op: 'ping' }
  | ({ op: 'submit'; live?: boolean } & SandboxCommand)
  | { op: 'interrupt' | 'printed'; n: number }
  | { op: 'answer'; number: number; text: string }
  | ({ op: 'waited'; n: number } & OffClock)
  | ExecRequest
  | { op: 'stopExec'; key: string };

export const replySchema = z.union([
  z.object({
    ok: z.literal(true),
    stopping: z.boolean().optional(),
    printed: z.string().max(100_000).transform(storable).optional(),
  }),
  z.object({ done: z.number().int() }),
  /** A running program requests a validation. */
  z.object({ asked: z.number().int().positive() }),
  z.object({ error: z.string() }),
  /** The outcome of this exec lies there. */
  z.object({ ended: z.string() }),
  z.object({ refused: z.enum(['invalid', 'other_request', 'user']), why: z.string().transform(storable) }),
]);
export type ControlReply = z.infer<typeof replySchema>;

/** Head and tail of output and memory records, each byte in JSON's longest escape, and a margin. */
export const OUTCOME_FILE_LIMIT = 6 * 1024 * 1024;

const MEMORIES_PER_COMMAND = 32;
const MEMORY_LENGTH = 16 * 1024;
const LONGEST_PATH = 4096;

const outcomeSchema = z.object({
  exitCode: z.number().int().min(0).max(255).nullable(),
  timedOut: z.boolean(),
  interrupted: z.boolean(),
  stoppedBy: z.enum(['time', 'silence', 'workspace', 'interrupt']).nullable(),
  lost: z.boolean(),
  output: z.string(),
  outputBytes: z.number().int().nonnegative(),
  stateReset: z.boolean(),
  notice: z.string().max(10_000).nullable(),
  workingDir: z.string().max(5000),
  requested: z.enum(['validate', 'submit']).nullable(),
  openFile: z.string().nullable(),
  gpus: z.array(gpuSchema).max(64).optional(),
  memories: z.array(z.string().max(MEMORY_LENGTH)).max(MEMORIES_PER_COMMAND),
  restarted: z.literal(true).optional(),
  gpusLost: z.literal(true).optional(),
  memoryKills: z.number().int().positive().optional(),
  ms: z.number().nonnegative(),
  pid: z.number().int().nullable(),
});

/** Throws when the text is not an outcome. Cleans strings of NUL and lone surrogates. */
export function parseOutcome(text: string): CommandOutcome {
  const { openFile, gpus, restarted, gpusLost, memoryKills, ...outcome } = outcomeSchema.parse(JSON.parse(text));
  return {
    ...outcome,
    ...(restarted === true ? { restarted } : {}),
    ...(gpusLost === true ? { gpusLost } : {}),
    ...(memoryKills === undefined ? {} : { memoryKills }),
    output: storable(outcome.output),
    notice: outcome.notice === null ? null : storable(outcome.notice),
    workingDir: storable(outcome.workingDir),
    toolState: {
      // The kernel's longest path.
      openFile: openFile === null || openFile.length > LONGEST_PATH ? null : storable(openFile),
      ...(gpus === undefined ? {} : { gpus: gpus.map((gpu) => ({ ...gpu, name: storable(gpu.name) })) }),
    },
    memories: outcome.memories.map(storable),
  };
}
