import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BenchError } from '../domain/errors.js';
import type { TaskFolder } from '../domain/task.js';
import { suggestion } from '../domain/closest.js';
import { ConfigError } from './config-error.js';
import { taskIds, yamlNames } from './config-names.js';
import { loadTask } from './tasks.js';
import { readYaml } from './yaml-file.js';

/** `configs/suites/<name>.yaml`: a named list of tasks. */
export const suiteSchema = z.strictObject({
  schema: z.literal(1),
  description: z.string().min(1),
  tasks: z.array(z.string().min(1)).min(1),
});
export type Suite = z.infer<typeof suiteSchema>;

/** Load one suite file; every task it names must exist. */
export function loadSuiteFile(file: string, configsDir: string): Suite {
  const { value, problem } = readYaml(file, suiteSchema);
  const ids = taskIds(configsDir);
  const unknown = value.tasks.flatMap((id, index) =>
    ids.includes(id)
      ? []
      : [problem(['tasks', index], `there is no task ${JSON.stringify(id)}. ${suggestion(id, ids)}`)],
  );
  if (unknown.length > 0) throw new ConfigError(unknown);
  return value;
}

function suiteTasks(configsDir: string, name: string): string[] {
  const file = join(configsDir, 'suites', `${name}.yaml`);
  return loadSuiteFile(existsSync(file) ? file : join(configsDir, 'suites', `${name}.yml`), configsDir).tasks;
}

/**
 * Tasks that a request names: ids, names of suites, or `all`; each task once, in the order named. Everything is checked
 * before anything is returned.
 */
export function selectTasks(configsDir: string, names: readonly string[]): TaskFolder[] {
  const ids = taskIds(configsDir);
  const suites = yamlNames(join(configsDir, 'suites'));
  const wanted = new Set<string>();
  for (const name of names) {
    if (ids.includes(name)) wanted.add(name);
    else if (name === 'all') ids.forEach((id) => wanted.add(id));
    else if (suites.includes(name)) suiteTasks(configsDir, name).forEach((id) => wanted.add(id));
    else {
      throw new BenchError('usage', `there is no task or suite ${JSON.stringify(name)} under ${configsDir}`, {
        code: 'task.unknown',
        remedy: suggestion(name, [...ids, ...suites, 'all']),
      });
    }
  }
  if (wanted.size === 0) {
    throw new BenchError('usage', `there are no tasks under ${join(configsDir, 'tasks')}`, {
      code: 'task.unknown',
      remedy: 'Set BENCH_CONFIGS to a folder that has tasks/, or leave it unset.',
    });
  }
  return [...wanted].map((id) => loadTask(configsDir, id));
}
