import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newTask, TASK_KINDS } from '../../../../operations/tasks/new.js';
import { findAssetsRoot } from '../../../../operations/settings.js';
import { loadTask, validatePath } from '../../../../catalog/index.js';
import { folder } from '../../catalog/fixtures.js';

const assetsRoot = findAssetsRoot();
const begin = (configsDir: string, id: string, kind: (typeof TASK_KINDS)[number] = 'data') =>
  newTask({ assetsRoot, configsDir, id, kind });

describe('a new task', () => {
  it.each(TASK_KINDS)('of the kind %s is well-formed, with starter, oracle and a stated baseline', (kind) => {
    const configsDir = folder({});
    const { dir, files } = begin(configsDir, 'evenNumbers', kind);
    expect(validatePath(dir).flatMap(({ problems }) => problems)).toEqual([]);
    const { spec } = loadTask([configsDir], 'evenNumbers');
    const scoredAs = kind === 'classification' || kind === 'regression' ? 'data' : kind;
    expect(spec).toMatchObject({ id: 'evenNumbers', name: 'Even numbers', evaluator: { kind: scoredAs } });
    expect(spec.baseline?.value).toEqual(expect.any(Number));
    expect(files.some((path) => path.startsWith('oracle/'))).toBe(true);
    const texts = files.map((path) => readFileSync(join(dir, path), 'utf8')).join('\n');
    expect(texts).not.toMatch(/TASK_(ID|NAME)/);
  });

  it('is not written over another one, or under a name that is none, and nothing is left of it', () => {
    const configsDir = folder({ 'tasks/there/task.yaml': 'mine' });
    expect(() => begin(configsDir, 'there')).toThrow('already exists');
    expect(readFileSync(join(configsDir, 'tasks/there/task.yaml'), 'utf8')).toBe('mine');
    expect(() => begin(configsDir, '../up')).toThrow('is not a valid task id');
    expect(existsSync(join(configsDir, 'tasks', '.there.new'))).toBe(false);
  });

  it('in a folder that cannot be written is a mistake of whoever named it, which names folder and remedy', () => {
    const configsDir = join(folder({ file: 'no folder' }), 'file');
    expect.assertions(process.getuid?.() === 0 ? 2 : 1);
    const refused = (where: string) => {
      try {
        begin(where, 'there');
      } catch (error) {
        expect(error).toMatchObject({
          ...{ type: 'usage', exitCode: 2, fields: { configDir: true } },
          message: expect.stringContaining(`cannot write ${join(where, 'tasks', 'there')}: `) as string,
          remedy: 'Make that folder writable, or name another configuration folder.',
        });
      }
    };
    refused(configsDir);
    if (process.getuid?.() !== 0) return;
    // Root may write nearly everywhere: as another user, into a folder of root's.
    const others = folder({});
    process.seteuid?.(65_534);
    try {
      refused(others);
    } finally {
      process.seteuid?.(0);
    }
  });
});
