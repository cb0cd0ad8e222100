import { join } from 'node:path';
import type { Bench } from '../../../bench.js';
import { makeTarget, writeNew, writeNewBy } from '../targets.js';
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
    await writeNewBy(path, (partial) => writeLog(bench, group, partial));
    written.push(path);
  }
  return written;
}

/** One run as a log of its own, to this file. */
export async function writeRunLog(bench: Bench, runId: string, path: string): Promise<void> {
  const { exports } = await bench.database();
  const runs = await exports.logRuns([runId]);
  await writeNewBy(path, (partial) => writeLog(bench, { name: path, runs }, partial));
}
