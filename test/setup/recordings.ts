import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { notTested } from './not-tested.js';

const RECORDINGS = resolve(import.meta.dirname, '../../../shared/data/mlgym-bench-v0/trajectories');

export interface RecordedRun {
  folder: string;
  task: string;
  file: string;
}

export interface RecordedEntry {
  action: string;
  observation: string;
}

/** The available recordings of these tasks; reports it if there are none. */
export function recordedRuns(tasks: readonly string[]): RecordedRun[] {
  const folders = existsSync(RECORDINGS) ? readdirSync(RECORDINGS).sort() : [];
  const runs = folders.flatMap((folder) => {
    const task = tasks.find((name) => folder.includes(`__${name}__`));
    const file = task === undefined ? '' : join(RECORDINGS, folder, `${task}.traj`);
    return task !== undefined && existsSync(file) ? [{ folder, task, file }] : [];
  });
  if (runs.length === 0)
    notTested('published runs of MLGym-Bench', `they are not part of the repository, and not at ${RECORDINGS}`);
  return runs;
}

/** The recording without the ends that MLGym forced: it ran no reply beyond the last step. */
export function recordedEntries(file: string): RecordedEntry[] {
  const { trajectory } = JSON.parse(readFileSync(file, 'utf8')) as { trajectory: RecordedEntry[] };
  return trajectory.filter(
    ({ action, observation }) =>
      !action.startsWith('exit_') && !/^Exited \((?!submit\))[a-z_]+\)\s*$/.test(observation),
  );
}

export interface OpenedFile {
  name: string;
  /** From the first line on; all of them if there are `total`. */
  lines: string[];
  total: number;
}

/** Files that the recording opens at their beginning before it changes any. */
export function openedFiles(entries: readonly RecordedEntry[]): OpenedFile[] {
  const found = new Map<string, OpenedFile>();
  for (const { action, observation } of entries) {
    if (!/^open /.test(action.trim())) continue;
    const [, path = '', total] =
      /^\[File: \/home\/agent\/workspace\/(\S+) \((\d+) lines total\)\]/.exec(observation) ?? [];
    const numbered = [...observation.matchAll(/^(\d+):(.*)$/gm)].filter(([, number], i) => Number(number) === i + 1);
    if (numbered.length > 0 && !found.has(path))
      found.set(path, { name: path, lines: numbered.map(([, , text = '']) => text), total: Number(total) });
  }
  return [...found.values()];
}

export const textOf = ({ lines }: Pick<OpenedFile, 'lines'>): string => lines.map((line) => `${line}\n`).join('');
