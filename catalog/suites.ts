import { join } from 'node:path';
import { z } from 'zod';
import { BenchError } from '../domain/errors.js';
import type { TaskFolder } from '../domain/task/task.js';
import { suggestion } from '../domain/text/closest.js';
import { ConfigError } from './config-error.js';
import { configEntries, type ConfigFolders, taskIds } from './config-entries.js';
import { loadEach, loadEntry } from './load-entry.js';
import { listTasks, loadTask } from './tasks.js';
import { readYaml } from './yaml-file.js';
import type { ValidatedFile } from '../domain/views/catalog.js';

const suiteSchema = z.strictObject({
  schema: z.literal(1),
  description: z.string().min(1),
  tasks: z.array(z.string().min(1)).min(1),
});
export type Suite = z.infer<typeof suiteSchema>;

export function loadSuiteFile(file: string, folders: ConfigFolders): Suite {
  const { value, problem } = readYaml(file, suiteSchema);
  const ids = taskIds(folders);
  const unknown = value.tasks.flatMap((id, index) =>
    ids.includes(id) ? [] : [problem(['tasks', index], `no task ${JSON.stringify(id)}. ${suggestion(id, ids)}`)],
  );
  if (unknown.length > 0) throw new ConfigError(unknown);
  return value;
}

export const brokenSuites = (folders: ConfigFolders): ValidatedFile[] =>
  loadEach(configEntries(folders, 'suites'), 'suite', ({ file }) => loadSuiteFile(file, folders)).broken;

/**
 * From ids, suites or `all`, each once, in the order named; does not read the tasks. BenchError
 * (usage): unknown name, broken suite, or no task.
 */
export function selectTaskIds(folders: ConfigFolders, names: readonly string[]): string[] {
  const ids = taskIds(folders);
  const suites = configEntries(folders, 'suites');
  const wanted = new Set<string>();
  for (const name of names) {
    const suite = suites.find((one) => one.name === name);
    if (ids.includes(name)) wanted.add(name);
    else if (name === 'all') ids.forEach((id) => wanted.add(id));
    else if (suite !== undefined)
      loadEntry(suite, (file) => loadSuiteFile(file, folders)).tasks.forEach((id) => wanted.add(id));
    else {
      throw new BenchError('usage', `no task or suite ${JSON.stringify(name)} under ${folders.join(' or ')}`, {
        code: 'task.not_found',
        remedy: suggestion(name, [...ids, ...suites.map((one) => one.name), 'all']),
      });
    }
  }
  if (wanted.size === 0) {
    const places = folders.map((folder) => join(folder, 'tasks')).join(' or ');
    throw new BenchError('usage', `there are no tasks under ${places}`, {
      code: 'task.not_found',
      remedy: 'Set BENCH_CONFIGS to a folder that has tasks/, or leave it unset.',
    });
  }
  return [...wanted];
}

/**
 * From ids, suites or `all`, each once, in the order named, all or none. `all` omits broken tasks
 * and reports them to `onBroken`; a named broken task is a ConfigError.
 */
export function selectTasks(
  folders: ConfigFolders,
  names: readonly string[],
  onBroken: (file: ValidatedFile) => void = () => undefined,
): TaskFolder[] {
  const ids = selectTaskIds(folders, names);
  if (!names.includes('all')) return ids.map((id) => loadTask(folders, id));
  const named = names.filter((name) => name !== 'all');
  const required = named.length === 0 ? [] : selectTaskIds(folders, named);
  required.forEach((id) => loadTask(folders, id));
  const { tasks, broken } = listTasks(folders);
  broken.forEach(onBroken);
  const byId = new Map(tasks.map(({ task, entry }) => [entry.name, task]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
