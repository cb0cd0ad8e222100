import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { buildOf, refuseOlder } from '../../../services/build-age.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-build-age-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const build = (version: string, builtAt: number) => ({ version, builtAt });
const NOW = build('0.2.0', 1_800_000_000_000);

it('a build is as old as its version says, then its compiled program', () => {
  const entry = join(dir, 'dist', 'services', 'supervisor-main.js');
  mkdirSync(join(dir, 'dist', 'services'), { recursive: true });
  writeFileSync(entry, '');
  utimesSync(entry, 1_800_000_000, 1_800_000_000);
  writeFileSync(join(dir, 'package.json'), '{"version": "0.2.0"}');
  expect(buildOf(entry)).toEqual(NOW);
});

it.each([
  ['a higher version, built earlier', build('0.10.0', 0)],
  ['the same version, built later', build('0.2.0', NOW.builtAt + 1)],
])('services of %s are left to it', (_, theirs) => {
  expect(() => refuseOlder('/home/bench', NOW, theirs)).toThrow(
    /^the services of \/home\/bench run a newer build of bench/,
  );
  expect(() => refuseOlder('/home/bench', theirs, NOW)).not.toThrow();
});

it('services of the same build are not refused', () => {
  expect(() => refuseOlder('/home/bench', NOW, { ...NOW })).not.toThrow();
});
