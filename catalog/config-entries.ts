import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ConfigError } from './config-error.js';

/** Each may have `agents/`, `commands/`, … An entry replaces those of its name in later folders. */
export type ConfigFolders = readonly string[];

export type ConfigKind = 'agents' | 'models' | 'suites' | 'tasks';

export interface ConfigEntry {
  name: string;
  /** Of a task its `task.yaml`. */
  file: string;
  folder: string;
  /** The file of the same name that would count without it; null: none. */
  replaces: string | null;
}

/** Sorted by name; files are not read, and may be broken. ConfigError: a folder cannot be read. */
export function configEntries(folders: ConfigFolders, kind: ConfigKind): ConfigEntry[] {
  const entries = new Map<string, ConfigEntry>();
  for (const folder of folders)
    for (const [name, file] of filesOf(join(folder, kind), kind)) {
      const above = entries.get(name);
      if (above === undefined) entries.set(name, { name, file, folder, replaces: null });
      else above.replaces ??= file;
    }
  return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const taskIds = (folders: ConfigFolders): string[] => configEntries(folders, 'tasks').map(({ name }) => name);

function filesOf(folder: string, kind: ConfigKind): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of namesIn(folder)) {
    if (kind === 'tasks') {
      const file = join(folder, name, 'task.yaml');
      if (existsSync(file)) found.set(name, file);
    } else if (isYaml(name)) {
      const entry = basename(name).replace(/\.ya?ml$/, '');
      // Sorted: of x.yaml and x.yml the first counts.
      if (!found.has(entry)) found.set(entry, join(folder, name));
    }
  }
  return found;
}

export const isYaml = (path: string): boolean => /^[^.].*\.ya?ml$/.test(basename(path));

/** Sorted, without hidden files; a missing folder is empty. ConfigError: it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    const message = code === 'ENOTDIR' ? 'is a file, not a folder' : `cannot be read (${code})`;
    throw new ConfigError([{ file: folder, line: null, key: '', message }], {
      remedy: 'Make it a folder that you may read, or remove it.',
      cause,
    });
  }
}
