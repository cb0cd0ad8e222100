import { chown, chmod, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { InfrastructureError } from '../../domain/errors.js';
import type { EvaluationJob, EvaluationOutcome, EvaluatorPort } from '../../domain/ports/evaluator-port.js';
import { type EvaluationUsers, groupOf, jobFiles, modeOf } from '../evaluator/job-files.js';
import { outputMb } from '../evaluator/memory.js';
import { readResult } from '../evaluator/read-result.js';
import { hostTimeLimitMs } from '../evaluator/time-limit.js';
import { findPython } from './find-python.js';
import { FURNISH, INSIDE, namespacePrefix } from './namespaces.js';
import { EVALUATION_FOLDER } from './leftovers.js';
import { noteScratchFolder, removeScratchFolder } from './scratch-folder.js';
import { unusedUsers } from './unused-users.js';

export interface LocalEvaluatorOptions {
  assetsRoot: string;
  scratchDir: string;
  /** Recorded as the owner of those folders. */
  home: string;
  python?: string;
  /** False: no namespaces, as on hosts that forbid them. */
  namespaces?: boolean;
}

/** Owns nothing: a program that it can run, the evaluations' users can run. */
const NOBODY = 65_534;
const OUTPUT_LIMIT = 64 * 1024;

/**
 * The evaluator image's programs as host processes, for machines without an engine. As root,
 * referee and player are separate users, and namespaces, where possible, hide our folders and each
 * other's leftovers. Isolation is still `none`: world-readable host files remain readable.
 */
export function createLocalEvaluator(options: LocalEvaluatorOptions): EvaluatorPort {
  const root = process.getuid?.() === 0;
  let found: Promise<{ python: string; namespaces: string[] | null }> | undefined;
  const tools = async () => ({
    python: await findPython(options.python, root ? NOBODY : null),
    namespaces: options.namespaces === false ? null : await namespacePrefix(),
  });
  return {
    isolation: 'none',
    async evaluate(job, signal) {
      signal.throwIfAborted();
      found ??= tools();
      const { python, namespaces } = await found;
      // Without a mount namespace, users who may not enter our home must reach the folder.
      const parent = root && namespaces === null ? tmpdir() : options.scratchDir;
      const dir = join(parent, `${EVALUATION_FOLDER}${job.id}`);
      try {
        await rm(dir, { recursive: true, force: true });
        await noteScratchFolder(dir, options.home, hostTimeLimitMs(job.task));
        const users = root ? await unusedUsers() : null;
        await furnish(dir, job, users, options.assetsRoot, join(namespaces === null ? dir : INSIDE, 'output'));
        const command =
          namespaces === null
            ? [python, '-I', join(dir, 'program', 'init.py'), dir]
            : [
                ...namespaces,
                ...[
                  'sh',
                  '-c',
                  FURNISH,
                  'furnish',
                  dir,
                  String(outputMb(job.task.evaluator)),
                  options.assetsRoot,
                  options.scratchDir,
                  job.taskDir,
                  '--',
                ],
                ...[python, '-I', `${INSIDE}/program/init.py`, INSIDE],
              ];
        return await outcome(command, job, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof InfrastructureError) throw error;
        throw new InfrastructureError(`evaluation ${job.id} of ${job.task.id}: ${(error as Error).message}`, {
          cause: error,
        });
      } finally {
        await removeScratchFolder(dir);
      }
    },
  };
}

async function outcome(command: string[], job: EvaluationJob, signal: AbortSignal): Promise<EvaluationOutcome> {
  const [program = '', ...rest] = command;
  const init = execa(program, rest, {
    cwd: '/',
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    extendEnv: false,
    // Open while this process lives; when it closes, init ends everything.
    stdin: 'pipe',
    reject: false,
    maxBuffer: OUTPUT_LIMIT,
  });
  const end = (): void => {
    init.stdin.destroy();
    setTimeout(() => init.kill('SIGKILL'), 5000).unref();
  };
  const limit = AbortSignal.timeout(hostTimeLimitMs(job.task));
  const stop = AbortSignal.any([signal, limit]);
  stop.addEventListener('abort', end);
  const result = await init;
  stop.removeEventListener('abort', end);
  signal.throwIfAborted();
  if (result.exitCode === 0) return readResult(String(result.stdout), job.task);
  throw new InfrastructureError(
    `evaluation ${job.id} of ${job.task.id}: its first process ended with ` +
      `${limit.aborted ? 'no result in time' : `code ${result.exitCode ?? result.signal ?? 'unknown'}`} ` +
      String(result.stderr).slice(-2000),
  );
}

async function furnish(
  dir: string,
  job: EvaluationJob,
  users: EvaluationUsers | null,
  assetsRoot: string,
  outputFolder: string,
): Promise<void> {
  // Not recursive: in a shared temporary directory another user may have made it.
  await mkdir(dir);
  await copyPrograms(join(assetsRoot, 'images', 'evaluator'), join(dir, 'program'));
  for (const file of await jobFiles(job, { users, lifeline: true, ownContainer: false, outputFolder })) {
    const target = join(dir, file.path);
    if (file.bytes === null) await mkdir(target);
    else await writeFile(target, file.bytes, { flag: 'wx' });
    if (users !== null) await chown(target, 0, groupOf(file, users));
    await chmod(target, modeOf(file));
  }
  if (outputMb(job.task.evaluator) > 0) {
    // With namespaces a folder in memory covers it.
    await mkdir(join(dir, 'output'), { mode: 0o700 });
    if (users !== null) await chown(join(dir, 'output'), users.player.uid, users.player.gid);
  }
  await chmod(dir, 0o755);
}

async function copyPrograms(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name !== '__pycache__') await copyPrograms(source, target);
    if (!entry.isFile() || !entry.name.endsWith('.py')) continue;
    await copyFile(source, target);
    await chmod(target, 0o644);
  }
}
