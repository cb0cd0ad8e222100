import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ExecResult, SandboxExec } from '../../domain/ports/sandbox-port.js';
import { storable } from '../../domain/text/storable.js';

/** What the supervisor is asked, and what it has left when an exec has ended. */

const MOST_STDIN_BYTES = 32 * 1024 * 1024;
export const MOST_STREAM_BYTES = 32 * 1024 * 1024;
const DEFAULT_STREAM_BYTES = 10 * 1024 * 1024;
/** Below the supervisor's limit on a request's line, whatever is escaped. */
const MOST_REQUEST_CHARACTERS = 4 * 1024 * 1024;
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Where a client puts what the exec reads, in the control directory. */
export const INCOMING = 'incoming';
export type ExecStream = 'stdout' | 'stderr';

export const execFolder = (key: string): string => `execs/${key}`;

export interface ExecRequest {
  op: 'exec';
  key: string;
  /** Equal for equal requests: argv, environment, folder, user, stdin. */
  same: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string;
  user?: string;
  /** A file of INCOMING. */
  stdin?: string;
  timeLimitSeconds: number;
  outputLimitBytes: number;
}

/** Why the supervisor would not take it, or null. */
export function faultOf({ key, argv, env = {}, cwd, user, stdin, ...limits }: SandboxExec): string | null {
  const { timeLimitSeconds, outputLimitBytes = DEFAULT_STREAM_BYTES } = limits;
  if (!KEY.test(key)) return `the key ${JSON.stringify(key.slice(0, 200))} is not 1 to 128 of A-Z a-z 0-9 . _ -`;
  if (argv.length === 0 || argv[0] === '') return 'argv names no program';
  const texts = [...argv, ...Object.entries(env).flat(), cwd ?? '', user ?? ''];
  if (texts.some((text) => text.includes('\0') || !text.isWellFormed()))
    return 'argv, environment, folder and user must be text without NUL';
  if (texts.reduce((sum, text) => sum + JSON.stringify(text).length, 0) > MOST_REQUEST_CHARACTERS)
    return `argv and environment exceed ${MOST_REQUEST_CHARACTERS} characters: hand data in as stdin`;
  if (Object.keys(env).some((name) => name === '' || name.includes('=')))
    return 'a variable has no name, or one with =';
  if ((stdin?.length ?? 0) > MOST_STDIN_BYTES) return `stdin exceeds ${MOST_STDIN_BYTES} bytes: write a file first`;
  if (!(timeLimitSeconds > 0 && Number.isFinite(timeLimitSeconds))) return 'the time limit must be positive';
  if (!(Number.isInteger(outputLimitBytes) && outputLimitBytes >= 0 && outputLimitBytes <= MOST_STREAM_BYTES))
    return `the limit of a stream must be 0 to ${MOST_STREAM_BYTES} bytes`;
  return null;
}

/** `staged`: the file of its stdin; null: it has none. */
export function execRequest(exec: SandboxExec, staged: string | null): ExecRequest {
  const { key, argv, env = {}, cwd, user, stdin, timeLimitSeconds, outputLimitBytes = DEFAULT_STREAM_BYTES } = exec;
  const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  const read = stdin === undefined ? null : createHash('sha256').update(stdin).digest('hex');
  const same = createHash('sha256').update(JSON.stringify([argv, variables, cwd ?? null, user ?? null, read]));
  return {
    op: 'exec',
    key,
    same: same.digest('hex'),
    argv,
    env,
    ...(cwd !== undefined && { cwd }),
    ...(user !== undefined && { user }),
    ...(staged !== null && { stdin: staged }),
    timeLimitSeconds,
    outputLimitBytes,
  };
}

const endedSchema = z.object({
  exitCode: z.number().int().min(0).max(255),
  signal: z.string().max(20).nullable(),
  stoppedBy: z.enum(['time', 'workspace', 'interrupt']).nullable(),
  stdoutBytes: z.number().int().nonnegative(),
  stderrBytes: z.number().int().nonnegative(),
  ms: z.number().nonnegative(),
});
const outcomeSchema = z.union([z.object({ lost: z.literal(true), why: z.string().max(1000) }), endedSchema]);

/** `text` of the outcome's file; `read`: null when the stream's file is gone. Throws ZodError. */
export async function execResult(
  text: string,
  read: (stream: ExecStream) => Promise<Buffer | null>,
): Promise<ExecResult> {
  const outcome = outcomeSchema.parse(JSON.parse(text));
  if ('lost' in outcome) return { kind: 'lost', why: storable(outcome.why) };
  const { stdoutBytes, stderrBytes, ...ended } = outcome;
  const streamOf = async (name: ExecStream, bytes: number) => {
    const kept = bytes === 0 ? Buffer.alloc(0) : await read(name);
    return kept === null ? null : { kept, bytes, truncated: kept.length < bytes };
  };
  const stdout = await streamOf('stdout', stdoutBytes);
  const stderr = await streamOf('stderr', stderrBytes);
  if (stdout === null || stderr === null) return { kind: 'lost', why: 'its output is no longer kept' };
  return { kind: 'ended', ...ended, timedOut: ended.stoppedBy === 'time', stdout, stderr };
}
