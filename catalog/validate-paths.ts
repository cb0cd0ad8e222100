import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { commandFileSchema } from '../domain/agent/config.js';
import { BenchError } from '../domain/errors.js';
import { loadAgentFile } from './agents.js';
import { ConfigError } from './config-error.js';
import { loadModelFile } from './model-configs.js';
import { loadSuiteFile } from './suites.js';
import { loadTaskFolder } from './tasks.js';
import { readYaml } from './yaml-file.js';
import type { ValidatedFile } from '../domain/views/catalog.js';

const ROOMS = ['agents', 'commands', 'configs', 'models', 'suites', 'tasks'];
const isYaml = (path: string): boolean => /\.ya?ml$/.test(path);

function check(file: string, kind: ValidatedFile['kind'], load: () => unknown): ValidatedFile {
  try {
    load();
    return { file, kind, problems: [] };
  } catch (error) {
    if (error instanceof ConfigError) return { file, kind, problems: [...error.problems] };
    if (error instanceof BenchError)
      return { file, kind, problems: [{ file, line: null, key: '', message: error.message }] };
    throw error;
  }
}

/** Check configuration files: a task's folder or `task.yaml`, a file in `agents/`, `commands/`, `models/` or `suites/`, or a folder of such things. */
export function validatePath(path: string): ValidatedFile[] {
  const full = resolve(path);
  if (!existsSync(full)) {
    throw new BenchError('usage', `${path}: there is no such file or folder`, {
      code: 'file.not_found',
      remedy:
        'Name a task folder, a YAML file under agents/, commands/, models/ or suites/, or a whole configs folder.',
    });
  }
  if (statSync(full).isDirectory()) {
    if (existsSync(join(full, 'task.yaml'))) {
      return [check(join(full, 'task.yaml'), 'task', () => loadTaskFolder(full))];
    }
    const children = readdirSync(full)
      .sort()
      .filter((name) => !name.startsWith('.'))
      .map((name) => join(full, name));
    if (basename(full) === 'tasks') return children.flatMap(taskChild);
    if (['agents', 'commands', 'models', 'suites'].includes(basename(full)))
      return children.filter(isYaml).flatMap(validatePath);
    const rooms = children.filter((child) => ROOMS.includes(basename(child)) && statSync(child).isDirectory());
    if (rooms.length > 0) return rooms.flatMap(validatePath);
    throw new BenchError(
      'usage',
      `${path}: holds no task.yaml and none of ${ROOMS.map((room) => `${room}/`).join(', ')}`,
      {
        remedy:
          'Name a task folder, a YAML file under agents/, commands/, models/ or suites/, or a whole configs folder.',
      },
    );
  }
  const kind = kindOf(full);
  if (kind === 'task') return [check(full, 'task', () => loadTaskFolder(dirname(full)))];
  if (kind === 'agent') {
    return [check(full, 'agent', () => loadAgentFile(full, basename(full).replace(/\.ya?ml$/, '')))];
  }
  if (kind === 'commands') return [check(full, 'commands', () => readYaml(full, commandFileSchema))];
  if (kind === 'model') {
    return [check(full, 'model', () => loadModelFile(full, basename(full).replace(/\.ya?ml$/, '')))];
  }
  if (kind === 'suite') return [check(full, 'suite', () => loadSuiteFile(full, dirname(dirname(full))))];
  throw new BenchError(
    'usage',
    `${path}: neither a task.yaml nor a YAML file in a folder agents/, commands/, models/ or suites/`,
    {
      remedy: 'Move it where it belongs, or name another file.',
    },
  );
}

function kindOf(file: string): ValidatedFile['kind'] | null {
  if (basename(file) === 'task.yaml') return 'task';
  if (!isYaml(file)) return null;
  const folder = basename(dirname(file));
  const kinds: Record<string, ValidatedFile['kind']> = {
    agents: 'agent',
    commands: 'commands',
    models: 'model',
    suites: 'suite',
  };
  return Object.hasOwn(kinds, folder) ? kinds[folder]! : null;
}

/** Every folder directly in tasks/ must be a task. */
function taskChild(child: string): ValidatedFile[] {
  if (!statSync(child).isDirectory()) return [];
  return [check(join(child, 'task.yaml'), 'task', () => loadTaskFolder(child))];
}
