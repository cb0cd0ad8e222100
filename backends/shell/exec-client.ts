import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InfrastructureError, SupervisorAway } from '../../domain/errors.js';
import type { ExecResult, SandboxExec } from '../../domain/ports/sandbox-port.js';
import { execFolder, execRequest, execResult, faultOf, INCOMING, MOST_STREAM_BYTES } from './exec-request.js';
import { OUTCOME_FILE_LIMIT } from './protocol.js';
import { ask, PATIENCE_MS, SHORT_ANSWER_MS } from './shell-client.js';

/** Through a shared control directory. Throws SupervisorAway, and InfrastructureError. */
export async function runExec(control: string, exec: SandboxExec, signal: AbortSignal): Promise<ExecResult> {
  const fault = faultOf(exec);
  if (fault !== null) return { kind: 'refused', reason: 'invalid', why: fault };
  signal.throwIfAborted();
  const staged = await stageStdin(control, exec);
  try {
    const withinMs = exec.timeLimitSeconds * 1000 + PATIENCE_MS;
    const reply = await ask(control, execRequest(exec, staged), { signal, withinMs });
    if ('error' in reply) throw new InfrastructureError(`exec ${exec.key} in ${control}: ${reply.error}`);
    if ('refused' in reply) return { kind: 'refused', reason: reply.refused, why: reply.why };
  } finally {
    if (staged !== null) await rm(join(control, INCOMING, staged), { force: true });
  }
  const outcome = await readRegular(join(control, execFolder(exec.key), 'outcome.json'), OUTCOME_FILE_LIMIT);
  if (outcome === null) throw new InfrastructureError(`exec ${exec.key} ended, but ${control} has no outcome of it`);
  return await execResult(outcome.toString('utf8'), (stream) =>
    readRegular(join(control, execFolder(exec.key), stream), MOST_STREAM_BYTES),
  );
}

export async function stopExec(control: string, key: string): Promise<void> {
  const reply = await ask(control, { op: 'stopExec', key }, { withinMs: SHORT_ANSWER_MS });
  if ('error' in reply) throw new InfrastructureError(`stopping exec ${key} in ${control}: ${reply.error}`);
}

export const stdinName = (key: string): string => `${key}.${randomBytes(6).toString('hex')}`;

/** Name of the file; null: it reads nothing. The supervisor opens and removes it. */
async function stageStdin(control: string, { key, stdin }: SandboxExec): Promise<string | null> {
  if (stdin === undefined) return null;
  const name = stdinName(key);
  try {
    await mkdir(join(control, INCOMING), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await writeFile(join(control, INCOMING, name), stdin, { mode: 0o600 });
    // The program may open `/dev/stdin` anew; nobody of the sandbox may enter the folder.
    await chmod(join(control, INCOMING, name), 0o444);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new SupervisorAway(`there is no control directory ${control}`, { cause: error });
    throw new InfrastructureError(`the stdin of exec ${key} cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return name;
}

/** Null: there is none. */
async function readRegular(path: string, maxBytes: number): Promise<Buffer | null> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > maxBytes) throw new Error(`${path} is not a supervisor's file`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
