import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAlive, type ProcessIdentity } from '../../services/process-identity.js';
import { readServicesFile } from '../../services/services-file.js';
import { BenchHome } from '../setup/bench-home.js';
import { until } from '../setup/services-home.js';
import { LONG } from '../setup/long.js';

const home = new BenchHome();
beforeAll(async () => {
  expect((await home.run('up')).exitCode).toBe(0);
});
afterAll(() => home.remove());

const services = () => readServicesFile(join(home.dir, 'services.json'));
const worker = (): ProcessIdentity | null => services()?.services.worker?.process ?? null;

it('a setting that no worker takes is refused, and the worker that runs stays', async () => {
  const before = worker();
  home.env['BENCH_SLOTS'] = 'many';
  try {
    const status = await home.run('runs');
    expect(status).toMatchObject({ exitCode: 2 });
    expect(status.stderr).toContain('BENCH_SLOTS must be a whole number');
  } finally {
    delete home.env['BENCH_SLOTS'];
  }
  expect(isAlive(before)).toBe(true);
  expect((await home.run('runs')).exitCode).toBe(0);
  expect(worker()).toEqual(before);
});

// Without it, cli-batch.test.ts stops all services under a batch.
it.runIf(LONG)('what down stops stays down beside an open watch and under a look; up brings it back', async () => {
  const submitted = await home.json<{ batchId: string }>(
    ...['submit', '--models', 'scripted:slow', '--tasks', 'battleOfSexes', '--attempts', '1', '--backend', 'local'],
  );
  const watch = home.start('watch', submitted.batchId);
  let shown = '';
  watch.stdout.on('data', (text: Buffer) => (shown += text.toString()));
  await until('the watch shows the batch', () => shown !== '');
  const { supervisor } = services() ?? {};
  expect((await home.run('down', '--force')).exitCode).toBe(0);

  const left = await watch;
  expect(left.exitCode).toBe(1);
  expect(left.stderr).toMatch(/the services of \S+ are down/);
  for (const look of [['status'], ['runs'], ['leaderboard'], ['sql', 'select 1'], ['hosts']]) {
    const answer = await home.run(...look);
    expect([look, answer.exitCode]).toEqual([look, 1]);
    expect(answer.stderr).toContain(`the services of ${home.dir} are down`);
    expect(answer.stderr).toContain('bench up');
  }
  expect(isAlive(supervisor)).toBe(false);
  expect(isAlive(services()?.supervisor)).toBe(false);
  expect(readFileSync(join(home.dir, 'logs', 'supervisor.log'), 'utf8').match(/ supervisor \d+ of /g)).toHaveLength(1);

  expect((await home.run('up')).exitCode).toBe(0);
  expect((await home.run('status')).exitCode).toBe(0);
  await home.run('cancel', submitted.batchId);
});
