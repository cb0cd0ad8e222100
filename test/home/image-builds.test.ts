import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';
import { until } from '../setup/services-home.js';
import { StandInEngine } from '../setup/stand-in-engine.js';

const engine = new StandInEngine();
const configs = mkdtempSync(join(tmpdir(), 'bench-test-configs-'));
let home: BenchHome;
beforeAll(async () => {
  await engine.start();
  cpSync(BUNDLED_CONFIGS, configs, { recursive: true });
  const greedy = join(configs, 'tasks', 'greedy');
  cpSync(join(configs, 'tasks', 'battleOfSexes'), greedy, { recursive: true });
  const yaml = readFileSync(join(greedy, 'task.yaml'), 'utf8');
  writeFileSync(join(greedy, 'task.yaml'), `${yaml.replace('id: battleOfSexes', 'id: greedy')}gpus: 2\n`);
  home = new BenchHome({
    ...{ DOCKER_HOST: engine.host, BENCH_PODMAN_HOST: engine.host, BENCH_GPUS: 'none', BENCH_CONFIGS: configs },
  });
});
afterAll(async () => {
  await home.remove();
  engine.stop();
  rmSync(configs, { recursive: true, force: true });
});
const builds = () => engine.requests.filter((request) => request.endsWith('/build')).length;
const GREEDY = ['submit', '--models', 'scripted:baseline', '--tasks', 'greedy', '--attempts', '1'];

it('Ctrl-C ends the build at the engine, and the command exits with 130', async () => {
  const build = home.start('images', 'build', '--base', 'base:1', '--json');
  let told = '';
  build.stderr.on('data', (text: Buffer) => (told += text.toString()));
  await until('the build is under way', () => told.includes('RUN forever'));
  build.kill('SIGINT');
  const { exitCode, stdout } = await build;
  expect(exitCode).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ error: { type: 'interrupted' } });
  expect(engine.hungUp).toBe(1);
});

it('GPUs that no host has are refused before an image is built, and in a dry run; tasks that want them can be left out', async () => {
  const before = builds();
  const unknown = await home.run(...GREEDY, '--backend', 'docker', '--dry-run');
  expect(unknown.exitCode).toBe(0);
  expect(unknown.stderr).toContain('the services are not running');

  for (const more of [[], ['--dry-run']]) {
    // The first of them starts the services.
    const refused = await home.run(...GREEDY, '--backend', 'docker', ...more);
    expect([more, refused.exitCode]).toEqual([more, 2]);
    expect(refused.stderr).toContain('a run asks for 2 GPUs, but no host has more than 0');
  }
  const left = await home.json<{ skipped: { task: string }[]; runs: { task: string }[] }>(
    ...[...GREEDY.slice(0, 4), 'greedy,battleOfSexes', '--attempts', '1', '--backend', 'docker'],
    ...['--skip-unavailable', '--dry-run'],
  );
  expect(left.skipped.map(({ task }) => task)).toEqual(['greedy']);
  expect(left.runs.map(({ task }) => task)).toEqual(['battleOfSexes']);
  expect(builds()).toBe(before);
});
