import { selectTasks } from '../../catalog/index.js';
import { BenchError } from '../../domain/errors.js';
import type { NamedTasks } from '../../domain/requests/tasks.js';
import type { TaskFolder } from '../../domain/task/task.js';
import type { Notice } from '../notices.js';
import type { BenchSettings } from '../settings.js';

export interface NamedTasksPorts {
  settings: Pick<BenchSettings, 'configFolders'>;
  notify: (notice: Notice) => void;
}

/** Skips broken tasks of `all` with a notice. BenchError (usage): none, unknown or broken. */
export function namedTasks({ settings, notify }: NamedTasksPorts, { ids = [], suite }: NamedTasks): TaskFolder[] {
  const names = [...ids, ...(suite === undefined ? [] : [suite])];
  if (names.length === 0)
    throw new BenchError('usage', 'no task given', {
      remedy: 'Give tasks (`bench tasks` lists them), a suite, or `all`.',
      fields: { suite: '<name>' },
    });
  return selectTasks(settings.configFolders, names, (file) => notify({ code: 'config.broken', file }));
}
