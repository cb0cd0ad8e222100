import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Names of the `*.yaml` files of a configuration folder, sorted; a missing folder holds none. */
export function yamlNames(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
    .map((name) => basename(name).replace(/\.ya?ml$/, ''))
    .sort();
}

/** Names of the sub-folders that hold a `task.yaml`, sorted. */
export function taskIds(configsDir: string): string[] {
  const folder = join(configsDir, 'tasks');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'task.yaml')))
    .sort();
}
