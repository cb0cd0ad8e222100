import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { kindInside, requireFileInside } from '../inside-folder.js';
import type { Remarks } from '../remarks.js';
import { UnreadableFile } from '../unreadable-file.js';
import { isAtif, readHead } from './atif-head.js';
import { readTrialResult, RESULT, type TrialResult } from './harbor-result.js';
import { type Fields, textOf } from './json-values.js';

const TRAJECTORY = 'trajectory.json';

export interface AtifFile {
  path: string;
  file: string;
  head: Fields;
}

/** A trial as Harbor left it: one run. */
export interface HarborTrial {
  result: TrialResult | null;
  /** Its trajectory with continuations; per step, of a task with steps. */
  parts: readonly (readonly AtifFile[])[];
}

/** Whether these are Harbor's logs of one trial. */
export const isTrial = (names: { has(name: string): boolean }): boolean =>
  (names.has('agent') || names.has('steps')) && (names.has(RESULT) || names.has('trial.log'));

/** The trial whose agent wrote this folder, `agent/` or `steps/<name>/agent/`; null: none. */
export function trialAbove(folder: string): string | null {
  const agent = resolve(folder);
  if (basename(agent) !== 'agent') return null;
  const above = dirname(agent);
  const trial = basename(dirname(above)) === 'steps' ? dirname(dirname(above)) : above;
  return isTrial({ has: (name) => existsSync(join(trial, name)) }) ? trial : null;
}

/** The same for a named file: only the first file of a trajectory stands for its trial. */
export const trialOf = (path: string): string | null =>
  basename(path) === TRAJECTORY ? trialAbove(dirname(resolve(path))) : null;

/** Throws UnreadableFile where it has no trajectory. */
export async function readTrial(folder: string, remarks: Remarks): Promise<HarborTrial> {
  const hasResult = existsSync(join(folder, RESULT));
  if (hasResult) await requireFileInside(folder, RESULT);
  const result = hasResult ? await readTrialResult(folder, remarks) : null;
  const parts: AtifFile[][] = [];
  const there = await readdir(join(folder, 'steps')).catch((): string[] => []);
  const played = result?.steps ?? [];
  for (const step of new Set([...played, ...there.sort()])) {
    const agent = join('steps', step, 'agent');
    if (there.includes(step) && existsSync(join(folder, agent, TRAJECTORY)))
      parts.push(await readChain(folder, agent, remarks));
    else if (played.includes(step))
      remarks.odd(
        RESULT,
        `step_results[${played.indexOf(step)}]`,
        'missing_file',
        `of the task's step ${JSON.stringify(step)} there is no trajectory`,
      );
  }
  if (existsSync(join(folder, 'agent', TRAJECTORY))) {
    if (parts.length === 0) parts.push(await readChain(folder, 'agent', remarks));
    else
      remarks.odd(join('agent', TRAJECTORY), '', 'left_out', "next to the trajectories of the task's steps: not read");
  }
  if (parts.length === 0)
    throw new UnreadableFile(
      join('agent', TRAJECTORY),
      '',
      'unreadable',
      'the trial has no trajectory: its agent wrote none, or never began',
    );
  return { result, parts };
}

const isOther = async (folder: string, file: string): Promise<boolean> =>
  (await kindInside(folder, join(folder, file))) === 'file' && (await isAtif(join(folder, file))) === true;

/** A trajectory and its continuations. Other files here are subagents' trajectories. */
async function readChain(folder: string, agent: string, remarks: Remarks): Promise<AtifFile[]> {
  const chain: AtifFile[] = [];
  const names = new Set<string>();
  let name: string | null = TRAJECTORY;
  while (name !== null) {
    const file = join(agent, name);
    const path = join(folder, file);
    await requireFileInside(folder, file);
    const head: Fields = await readHead(path, file, remarks);
    names.add(name);
    chain.push({ path, file, head });
    const next: string | null = textOf(head['continued_trajectory_ref']);
    const there = next !== null && basename(next) === next && existsSync(join(folder, agent, next));
    if (next !== null && (!there || names.has(next)))
      remarks.odd(
        file,
        'continued_trajectory_ref',
        'missing_file',
        `continues in ${JSON.stringify(next)}, which ${there ? 'was read before' : 'is not next to it'}`,
      );
    name = there && !names.has(next) ? next : null;
  }
  const others: string[] = [];
  for (const name of (await readdir(join(folder, agent))).sort())
    if (name.endsWith('.json') && !names.has(name) && (await isOther(folder, join(agent, name)))) others.push(name);
  if (others.length > 0)
    remarks.odd(
      join(agent, others[0] ?? ''),
      '',
      'left_out',
      `trajectories of subagents are not read${others.length === 1 ? '' : `: this one and ${others.length - 1} more`}`,
    );
  return chain;
}
