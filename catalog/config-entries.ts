import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ConfigError } from './config-error.js';

/**
 * Configuration folders, each with any of `agents/`, `commands/`, `models/`, `suites/` and `tasks/`. An entry of an earlier folder stands in
 * place of those that later ones have under its name.
 */
export type ConfigFolders = readonly string[];

export type ConfigKind = 'agents' | 'models' | 'suites' | 'tasks';

/** A file that counts under its name. */
export interface ConfigEntry {
  name: string;
  /** Of a task its `task.yaml`. */
  file: string;
  /** The configuration folder that it lies in. */
  folder: string;
  /** The file of the same name that would count without it; null: none. */
  replaces: string | null;
}

/** All entries of a kind, sorted by name. Nothing is read but the folders: an entry may be broken. ConfigError: a folder cannot be read. */
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

/** Ids of all tasks, sorted. */
export const taskIds = (folders: ConfigFolders): string[] => configEntries(folders, 'tasks').map(({ name }) => name);

/** Names and files of one folder; a missing folder holds none. */
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

/** `x.yaml` or `x.yml`. */
export const isYaml = (path: string): boolean => /^[^.].*\.ya?ml$/.test(basename(path));

/** What lies in a folder, sorted, without hidden files; a missing folder holds nothing. ConfigError: it cannot be read. */
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
