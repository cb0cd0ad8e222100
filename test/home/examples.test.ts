import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testConfigs } from '../setup/bench-home.js';
import { beginFromTemplate } from '../setup/home-template.js';
import { LONG } from '../setup/long.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'bench-test-examples-'));
const home = join(folder, 'home');

/** The packed package in an empty folder; its dependencies are those of the checkout. */
beforeAll(() => {
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim();
  const installed = join(folder, 'node_modules', 'durabench');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed), '-C', installed, '--strip-components=1']);
  symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.mjs')))
    copyFileSync(join(ROOT, 'examples', name), join(folder, name));
});
afterAll(async () => {
  for (const each of [home, join(folder, 'one'), join(folder, 'two')])
    await bench(each, 'down', '--force').catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

const bench = (at: string, ...args: string[]) =>
  execa('node', [join(folder, 'node_modules/durabench/dist/cli/main.js'), ...args], { env: { BENCH_HOME: at } });
const example = (name: string, at: string) =>
  execa('node', [name, at], { cwd: folder, env: { BENCH_CONFIGS: testConfigs() } });

// Without it, the next test has the package, cli-batch.test.ts the same verbs.
it.runIf(LONG)('a program of at most 30 lines submits a batch, follows it and prints the leaderboard', async () => {
  expect(readFileSync(join(folder, 'leaderboard.mjs'), 'utf8').trim().split('\n').length).toBeLessThanOrEqual(30);
  const { stdout, stderr } = await example('leaderboard.mjs', home);
  expect(stdout).toMatch(/^1 scripted:optimum .*\n2 scripted:baseline /);
  expect(stderr).toContain('4 of 4 runs ended');
});

it('a program plays a run from outside, and the installed command shows it', async () => {
  // The starter's, about 1.02: each run is evaluated with draws of its own.
  expect((await example('play-from-outside.mjs', home)).stdout).toMatch(/^submit (0\.9|1\.[01])\d+$/);
  const { stdout } = await bench(home, 'runs', '--models', 'external', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ runs: [{ modelKind: 'external', steps: 3, endReason: 'submit' }] });
});

it.runIf(LONG)('a process has two homes open at once, and stops both', async () => {
  for (const name of ['one', 'two']) beginFromTemplate(join(folder, name));
  const { stdout } = await example('two-homes.mjs', folder);
  expect(stdout.split('\n')).toEqual([expect.stringMatching(/one \[ 1 \]$/), expect.stringMatching(/two \[ 2 \]$/)]);
});
