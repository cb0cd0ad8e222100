import { selectTasks } from '../../catalog/index.js';
import { BenchError } from '../../domain/errors.js';
import type { NamedTasks } from '../../domain/requests/tasks.js';
import type { TaskFolder } from '../../domain/task.js';
import type { Bench } from '../bench.js';

/** The tasks that are meant; broken ones of `all` are told as notices and left out. BenchError (usage): none is, or one is unknown or broken. */
export function namedTasks(
  { settings, notify }: Pick<Bench, 'settings' | 'notify'>,
  { ids = [], suite }: NamedTasks,
): TaskFolder[] {
  const names = [...ids, ...(suite === undefined ? [] : [suite])];
  if (names.length === 0)
    throw new BenchError('usage', 'no task given', {
      remedy: 'Give tasks (`bench tasks` lists them), a suite, or `all`.',
      fields: { suite: '<name>' },
    });
  return selectTasks(settings.configFolders, names, (file) => notify({ code: 'config.broken', file }));
}
