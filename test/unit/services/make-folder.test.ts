import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../../services/make-folder.js';
import { prepareHome } from '../../../services/prepare-home.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-make-folder-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('folders', () => {
  it('are made with those above them, and may be there already', () => {
    const path = join(dir, 'a', 'b', 'c');
    makeFolder(path, 0o700);
    makeFolder(path);
    expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('are not files', () => {
    const file = join(dir, 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow('is a file, not a folder');
    expect(() => makeFolder(join(file, 'below'))).toThrow('ENOTDIR');
  });

  // In a process of its own, which a call that never comes back cannot take with it.
  it.skipIf(process.platform !== 'linux')('that cannot be are refused at once', () => {
    const source = readFileSync(join(import.meta.dirname, '../../../services/make-folder.ts'), 'utf8');
    const module = join(dir, 'make-folder.mjs');
    writeFileSync(
      module,
      `${ts.transpile(source, { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 })}
      try { makeFolder('/proc/x/y'); } catch (error) { console.log(error.code); }`,
    );
    expect(execFileSync(process.execPath, [module], { encoding: 'utf8', timeout: 60_000 }).trim()).toBe('ENOENT');
    expect(() => prepareHome('/proc/x')).toThrow('the home /proc/x cannot be used');
  });
});
