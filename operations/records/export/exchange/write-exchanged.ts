import { join } from 'node:path';
import type { Exports } from '../../../../domain/ports/exports.js';
import { makeTarget, writeNew, writeNewBy } from '../targets.js';
import { atifText } from './atif.js';
import { type ExchangedRunPorts, openExchangedRun } from './exchanged-run.js';
import { logGroups, writeLog } from './inspect-log.js';

export type LogPorts = ExchangedRunPorts & { exports: Pick<Exports, 'logRuns'> };

export async function* atifOf(ports: ExchangedRunPorts, runId: string): AsyncGenerator<string, void, undefined> {
  const exchanged = await openExchangedRun(ports, runId);
  try {
    yield* atifText(exchanged);
  } finally {
    await exchanged.close();
  }
}

export async function writeTrajectories(
  ports: ExchangedRunPorts,
  runIds: readonly string[],
  folder: string,
): Promise<void> {
  makeTarget(folder);
  for (const runId of runIds) await writeNew(join(folder, `${runId}.json`), atifOf(ports, runId));
}

/** Writes a log per batch, task, agent and model. Returns their paths. */
export async function writeLogs(ports: LogPorts, runIds: readonly string[], folder: string): Promise<string[]> {
  makeTarget(folder);
  const written: string[] = [];
  for (const group of logGroups(await ports.exports.logRuns(runIds))) {
    const path = join(folder, group.name);
    await writeNewBy(path, (partial) => writeLog(ports, group, partial));
    written.push(path);
  }
  return written;
}

export async function writeRunLog(ports: LogPorts, runId: string, path: string): Promise<void> {
  const runs = await ports.exports.logRuns([runId]);
  await writeNewBy(path, (partial) => writeLog(ports, { name: path, runs }, partial));
}
