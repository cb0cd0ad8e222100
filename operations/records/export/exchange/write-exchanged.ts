import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../../../../domain/errors.js';
import type { Bench } from '../../../bench.js';
import { makeTarget, writeNew } from '../targets.js';
import { atifText } from './atif.js';
import { openExchangedRun } from './exchanged-run.js';
import { logGroups, writeLog } from './inspect-log.js';

/** A run's trajectory, piece by piece. */
export async function* atifOf(bench: Bench, runId: string): AsyncGenerator<string, void, undefined> {
  const exchanged = await openExchangedRun(bench, runId);
  try {
    yield* atifText(exchanged);
  } finally {
    await exchanged.close();
  }
}

/** Writes each run to a file of its own in a folder. */
export async function writeTrajectories(bench: Bench, runIds: readonly string[], folder: string): Promise<void> {
  makeTarget(folder);
  for (const runId of runIds) await writeNew(join(folder, `${runId}.json`), atifOf(bench, runId));
}

/** Writes runs to logs in a folder: one for each batch, task, agent and model. Returns their paths. */
export async function writeLogs(bench: Bench, runIds: readonly string[], folder: string): Promise<string[]> {
  makeTarget(folder);
  const { exports } = await bench.database();
  const written: string[] = [];
  for (const group of logGroups(await exports.logRuns(runIds))) {
    const path = join(folder, group.name);
    await whole(path, (partial) => writeLog(bench, group, partial));
    written.push(path);
  }
  return written;
}

/** One run as a log of its own, to this file. */
export async function writeRunLog(bench: Bench, runId: string, path: string): Promise<void> {
  const { exports } = await bench.database();
  const runs = await exports.logRuns([runId]);
  await whole(path, (partial) => writeLog(bench, { name: path, runs }, partial));
}

/** The file has its name only once it is whole. */
async function whole(path: string, write: (partial: string) => Promise<void>): Promise<void> {
  if (existsSync(path))
    throw new BenchError('usage', `${path} already exists`, {
      code: 'file.exists',
      remedy: 'Choose another file, or an empty folder.',
      fields: { output: '<path>' },
    });
  const partial = `${path}.partial`;
  try {
    await write(partial);
  } catch (cause) {
    await rm(partial, { force: true });
    if (!['ENOENT', 'EACCES', 'ENOSPC', 'EROFS', 'EISDIR'].includes((cause as NodeJS.ErrnoException).code ?? ''))
      throw cause;
    throw new BenchError('usage', `${path} cannot be written: ${(cause as Error).message}`, {
      code: 'file.unwritable',
      remedy: 'Choose another file, or create its folder first.',
      fields: { output: '<path>' },
      cause,
    });
  }
  await rename(partial, path);
}
