import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { commandFileSchema } from '../domain/agent/config.js';
import { BenchError } from '../domain/errors.js';
import { loadAgentFile } from './agents.js';
import { type ConfigFolders, isYaml, namesIn } from './config-entries.js';
import { tryLoad } from './load-entry.js';
import { listModelConfigs, loadModelFile } from './model-configs.js';
import { loadSuiteFile } from './suites.js';
import { loadTaskFolder } from './tasks.js';
import { readYaml } from './yaml-file.js';
import type { ValidatedFile } from '../domain/views/catalog.js';

const ROOMS = ['agents', 'commands', 'models', 'suites', 'tasks'];
const EXPECTED =
  'Name a task folder, a YAML file under agents/, commands/, models/ or suites/, or a whole configs folder.';

function check(file: string, kind: ValidatedFile['kind'], load: () => unknown): ValidatedFile {
  return tryLoad(file, kind, load).broken ?? { file, kind, problems: [] };
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Includes replaced files. A missing folder is empty. */
export const validateFolders = (folders: ConfigFolders): ValidatedFile[] =>
  folders.flatMap((folder) => {
    const { value, broken } = tryLoad(folder, 'folder', () => namesIn(folder));
    if (broken !== null) return [broken];
    return value.filter((name) => ROOMS.includes(name)).flatMap((name) => validateRoom(join(folder, name), folders));
  });

/** A task, a file in `agents/`, `commands/`, …, or a folder of these. They may name each other. */
export function validatePath(path: string, folders: ConfigFolders = []): ValidatedFile[] {
  const full = resolve(path);
  if (!existsSync(full))
    throw new BenchError('usage', `${path}: there is no such file or folder`, {
      code: 'file.not_found',
      remedy: EXPECTED,
    });
  if (isFolder(full)) {
    if (existsSync(join(full, 'task.yaml'))) return [validateFile(join(full, 'task.yaml'), 'task', folders)];
    if (ROOMS.includes(basename(full))) return validateRoom(full, folders);
    const rooms = namesIn(full).filter((name) => ROOMS.includes(name) && isFolder(join(full, name)));
    if (rooms.length > 0) return rooms.flatMap((name) => validateRoom(join(full, name), folders));
    const configs = join(full, 'configs');
    if (isFolder(configs)) return validatePath(configs, folders);
    const known = ROOMS.map((room) => `${room}/`).join(', ');
    throw new BenchError('usage', `${path}: contains neither task.yaml nor any of ${known}`, { remedy: EXPECTED });
  }
  const kind = kindOf(full);
  if (kind === null)
    throw new BenchError(
      'usage',
      `${path}: neither a task.yaml nor a YAML file in a folder agents/, commands/, models/ or suites/`,
      { remedy: 'Move it where it belongs, or name another file.' },
    );
  return [validateFile(full, kind, folders)];
}

/** Every folder directly in `tasks/` must be a task. */
function validateRoom(room: string, folders: ConfigFolders): ValidatedFile[] {
  const { value: names, broken } = tryLoad(room, 'folder', () => namesIn(room));
  if (broken !== null) return [broken];
  if (basename(room) === 'tasks')
    return names
      .map((name) => join(room, name))
      .filter(isFolder)
      .map((dir) => validateFile(join(dir, 'task.yaml'), 'task', folders));
  const clashes = basename(room) === 'models' ? clashesBelow(room, folders) : [];
  return names.filter(isYaml).map((name) => {
    const file = join(room, name);
    return clashes.find((clash) => clash.file === file) ?? validateFile(file, kindOf(file)!, folders);
  });
}

const clashesBelow = (room: string, folders: ConfigFolders): ValidatedFile[] =>
  listModelConfigs(foldersAround(dirname(room), folders)).broken;

const foldersAround = (folder: string, folders: ConfigFolders): ConfigFolders =>
  folders.includes(folder) ? folders : [folder];

function validateFile(file: string, kind: FileKind, folders: ConfigFolders): ValidatedFile {
  const around = foldersAround(dirname(dirname(file)), folders);
  const name = basename(file).replace(/\.ya?ml$/, '');
  const load: Record<FileKind, () => unknown> = {
    task: () => loadTaskFolder(dirname(file)),
    agent: () => loadAgentFile(file, name, around),
    commands: () => readYaml(file, commandFileSchema),
    model: () => loadModelFile(file, name),
    suite: () => loadSuiteFile(file, around),
  };
  return check(file, kind, load[kind]);
}

type FileKind = Exclude<ValidatedFile['kind'], 'folder'>;
const KINDS: Record<string, FileKind> = {
  agents: 'agent',
  commands: 'commands',
  models: 'model',
  suites: 'suite',
};

function kindOf(file: string): FileKind | null {
  if (basename(file) === 'task.yaml') return 'task';
  const folder = basename(dirname(file));
  return isYaml(file) && Object.hasOwn(KINDS, folder) ? KINDS[folder]! : null;
}
