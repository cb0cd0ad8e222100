import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import type { HarborSurvey } from '../../../domain/views/tasks.js';
import { surveyTask } from './survey-task.js';

const MOST_LEVELS = 4;

/** Which Harbor tasks of a folder can be played, and how isolated each score is. Runs nothing. */
export function surveyHarborTasks(folder: string): HarborSurvey {
  const tasks = harborFolders(folder).map(surveyTask);
  return { playable: tasks.filter(({ playable }) => playable).length, tasks };
}

/** The tasks at any depth. Throws BenchError if there is none. */
export function harborFolders(folder: string): string[] {
  const folders = [...taskFolders(resolve(folder), 0)];
  if (folders.length === 0)
    throw new BenchError('usage', `no task of Harbor in ${folder}`, {
      code: 'file.not_found',
      remedy: 'Give a folder with a task.toml, or one that contains such folders.',
    });
  return folders;
}

function* taskFolders(folder: string, level: number): Generator<string, void, undefined> {
  if (existsSync(join(folder, 'task.toml'))) return yield folder;
  if (level >= MOST_LEVELS || !existsSync(folder)) return;
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of entries.sort((a, b) => (a.name < b.name ? -1 : 1)))
    yield* taskFolders(join(folder, name), level + 1);
}
