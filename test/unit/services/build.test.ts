import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type Build, buildOf, isElsewhere, refuseOlder } from '../../../services/build.js';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'bench-build-')));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const build = (version: string, more: Partial<Build> = {}): Build => ({ version, hash: 'a', folder: '/one', ...more });

it('a build is its version, the hash of its content and its folder', () => {
  const entry = join(dir, 'dist', 'services', 'supervisor-main.js');
  mkdirSync(join(dir, 'dist', 'services'), { recursive: true });
  writeFileSync(entry, '');
  writeFileSync(join(dir, 'package.json'), '{"version": "0.2.0"}');
  writeFileSync(join(dir, 'dist', 'build.json'), '{"hash": "abc"}');
  expect(buildOf(entry)).toEqual({ version: '0.2.0', hash: 'abc', folder: dir });
});

it('services of a newer version are left to it; equal versions and newer ones are not refused', () => {
  const [ours, newer] = [build('0.2.0'), build('0.10.0', { hash: 'b' })];
  expect(() => refuseOlder('/home/bench', ours, newer)).toThrow(
    'the services of /home/bench run a newer version of bench (0.10.0) than this one (0.2.0)',
  );
  for (const theirs of [build('0.2.0', { hash: 'b' }), build('0.1.9')])
    expect(() => refuseOlder('/home/bench', ours, theirs)).not.toThrow();
});

it('another folder is another install; what wrote no folder was installed here', () => {
  expect(isElsewhere(build('1'), build('1', { folder: '/two' }))).toBe(true);
  expect(isElsewhere(build('1'), build('2', { hash: 'b' }))).toBe(false);
  expect(isElsewhere(build('1'), build('0.9', { folder: '' }))).toBe(false);
});
