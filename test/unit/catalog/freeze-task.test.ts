import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeLayout } from '../../../domain/home/layout.js';
import { freezeTask, hashFolder, loadTask, selectTasks } from '../../../catalog/index.js';
import { configs, folder } from './fixtures.js';

describe('the content hash of a task', () => {
  it('is the same for the same content elsewhere', () => {
    expect(loadTask([configs()], 'coin').contentHash).toBe(loadTask([configs()], 'coin').contentHash);
  });

  it('changes with a byte, a name and the executable bit', () => {
    const hashes = [folder({ a: '1' }), folder({ a: '2' }), folder({ b: '1' })].map((dir) => hashFolder(dir));
    const executable = folder({ a: '1' });
    chmodSync(join(executable, 'a'), 0o755);
    expect(new Set([...hashes, hashFolder(executable)]).size).toBe(4);
  });

  it('does not see what Python leaves behind', () => {
    const dir = folder({ a: '1' });
    const before = hashFolder(dir);
    mkdirSync(join(dir, '__pycache__'));
    writeFileSync(join(dir, '__pycache__', 'a.pyc'), 'x');
    expect(hashFolder(dir)).toBe(before);
  });

  it('refuses a link', () => {
    const dir = folder({ a: '1' });
    symlinkSync('/etc/passwd', join(dir, 'b'));
    expect(() => hashFolder(dir)).toThrow(/b: neither a regular file nor a folder/);
  });
});

describe('freezing a task', () => {
  const layout = () => homeLayout(folder({}));

  it('keeps what was submitted when the original changes', () => {
    const dir = configs();
    const home = layout();
    const frozen = freezeTask(home, loadTask([dir], 'coin'));
    writeFileSync(join(dir, 'tasks/coin/starter/strategy.py'), 'changed');
    expect(readFileSync(join(frozen, 'starter/strategy.py'), 'utf8')).toContain('return 0');
    expect(freezeTask(home, loadTask([dir], 'coin'))).not.toBe(frozen);
  });

  it('is idempotent and leaves nothing else behind', () => {
    const home = layout();
    const task = loadTask([configs()], 'coin');
    expect(freezeTask(home, task)).toBe(freezeTask(home, task));
    expect(readdirSync(home.tasks)).toEqual([task.contentHash]);
  });

  it('keeps a starter without files, as tasks have whose image brings them', () => {
    const dir = configs();
    rmSync(join(dir, 'tasks/coin/starter/strategy.py'));
    const home = layout();
    const task = loadTask([dir], 'coin');
    const frozen = freezeTask(home, task);
    expect(readdirSync(join(frozen, 'starter'))).toEqual([]);
    rmSync(join(frozen, 'starter'), { recursive: true });
    expect(readdirSync(join(freezeTask(home, task), 'starter'))).toEqual([]);
  });

  it('replaces a damaged copy', () => {
    const home = layout();
    const task = loadTask([configs()], 'coin');
    const frozen = freezeTask(home, task);
    writeFileSync(join(frozen, 'task.yaml'), 'damaged');
    expect(hashFolder(freezeTask(home, task))).toBe(task.contentHash);
    expect(readdirSync(home.tasks)).toEqual([task.contentHash]);
  });

  it('stores nothing when the original changed since it was loaded', () => {
    const dir = configs();
    const home = layout();
    const task = loadTask([dir], 'coin');
    writeFileSync(join(dir, 'tasks/coin/starter/strategy.py'), 'changed');
    expect(() => freezeTask(home, task)).toThrow(/changed while it was copied/);
    expect(existsSync(home.tasks) ? readdirSync(home.tasks) : []).toEqual([]);
  });
});

describe('--tasks', () => {
  it('takes each task once, in the order named', () => {
    const dir = configs({ 'suites/small.yaml': 'schema: 1\ndescription: few\ntasks: [coin]\n' });
    expect(selectTasks([dir], ['coin', 'small', 'all']).map((task) => task.spec.id)).toEqual(['coin']);
  });
});
