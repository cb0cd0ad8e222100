import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../domain/errors.js';
import { folderFiles, loadTaskFolder, prepareCommand } from '../../catalog/index.js';
import { makeFolder } from '../../services/make-folder.js';

export const TASK_KINDS = ['game', 'questions', 'data', 'classification', 'regression', 'program'] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export interface NewTask {
  dir: string;
  files: string[];
  next: string[];
}

/** The chosen folder is at fault, not the disk. */
const NOT_OURS = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT'];

/** `evenNumbers`, `even-numbers` → `Even numbers` */
const nameOf = (id: string): string => {
  const words = id
    .replace(/[-_]+/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/**
 * Makes a playable task from the bundled templates, whole or not at all. BenchError (usage): the id
 * is invalid, or the folder cannot be written.
 */
export function newTask({
  assetsRoot,
  configsDir,
  id,
  kind,
}: {
  assetsRoot: string;
  configsDir: string;
  id: string;
  kind: TaskKind;
}): NewTask {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(id))
    throw new BenchError('usage', `${JSON.stringify(id)} is not a valid task id`, {
      remedy: 'Use only letters, digits, - and _, beginning with a letter or digit.',
    });
  const dir = join(configsDir, 'tasks', id);
  if (existsSync(dir))
    throw new BenchError('usage', `${dir} already exists`, {
      code: 'file.exists',
      remedy: 'Choose another id, or remove the folder.',
    });
  const aside = join(configsDir, 'tasks', `.${id}.new`);
  try {
    removeIfThere(aside);
    makeFolder(join(configsDir, 'tasks'));
    cpSync(join(assetsRoot, 'configs', 'templates', kind), aside, { recursive: true });
    const files = folderFiles(aside).map(({ path }) => path);
    for (const path of files) {
      const file = join(aside, path);
      const text = readFileSync(file, 'utf8').replaceAll('TASK_ID', id).replaceAll('TASK_NAME', nameOf(id));
      chmodSync(file, 0o644);
      writeFileSync(file, text);
    }
    renameSync(aside, dir);
    const { spec } = loadTaskFolder(dir);
    const next = [...(spec.data === undefined ? [] : [prepareCommand([id])]), `bench tasks verify ${id}`];
    return { dir, files, next };
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    const { code = '', message } = cause as NodeJS.ErrnoException;
    throw new BenchError(NOT_OURS.includes(code) ? 'usage' : 'failed', `cannot write ${dir}: ${message}`, {
      code: 'file.unwritable',
      remedy: 'Make that folder writable, or name another configuration folder.',
      fields: { configDir: true },
      cause,
    });
  } finally {
    removeIfThere(aside);
  }
}

function removeIfThere(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Nothing was written, and the error says so.
  }
}
