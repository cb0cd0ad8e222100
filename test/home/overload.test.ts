import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lightConfigs } from '../../benchmarks/light-configs.js';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';

/** Processes that compute, for each processor: what a run gets is an eighth. */
const BURDEN = 8;
const BUSY = 'for (;;);';
/** Evaluations need about half of it on a free processor; BENCH_TEST_OVERLOAD_GAMES: longer. */
const LIMIT_SECONDS = 4;
const GAMES = Number(process.env['BENCH_TEST_OVERLOAD_GAMES'] ?? 4000);

const configs = mkdtempSync(join(tmpdir(), 'bench-test-configs-'));
const burden: ChildProcess[] = [];
let home: BenchHome;
beforeAll(() => {
  lightConfigs(BUNDLED_CONFIGS, join(configs, 'light'), GAMES);
  const task = join(configs, 'light', 'tasks', 'battleOfSexes', 'task.yaml');
  const text = readFileSync(task, 'utf8');
  writeFileSync(task, text.replace(/timeoutSeconds: \d+$/m, `timeoutSeconds: ${LIMIT_SECONDS}`));
  expect(readFileSync(task, 'utf8')).not.toBe(text);
  home = new BenchHome({ BENCH_CONFIGS: join(configs, 'light') });
});
afterAll(async () => {
  for (const process of burden) process.kill('SIGKILL');
  await home.remove();
  rmSync(configs, { recursive: true, force: true });
});

interface Ended {
  reason: string | null;
  final: string | null;
}

it('runs on a machine that is short of CPU end as on a quiet one: evaluations are limited by the CPU time that they use', async () => {
  await home.json('up');
  for (let i = 0; i < BURDEN * availableParallelism(); i++)
    burden.push(spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }));
  const { batchId } = await home.json<{ batchId: string }>(
    ...['submit', '--models', 'scripted:optimum,scripted:baseline', '--tasks', 'battleOfSexes', '--attempts', '3'],
    ...['--backend', 'local', '--concurrency', '6', '--seed', '5', '--wait'],
  );
  for (const process of burden.splice(0)) process.kill('SIGKILL');

  const runs = await home.sql<Ended & Record<string, unknown>>(
    'select end_reason as reason, final_evaluation as final from runs where batch_id = $1',
    [batchId],
  );
  expect(runs).toEqual(Array(6).fill({ reason: 'submit', final: 'ok' }));
  // What the limit would have ended by the clock.
  const [slowest] = await home.sql<{ ms: number }>(
    'select max(e.ms)::float8 as ms from evaluations e join runs r using (run_id) where r.batch_id = $1',
    [batchId],
  );
  expect(slowest?.ms, 'this machine was not short of CPU: raise BENCH_TEST_OVERLOAD_GAMES').toBeGreaterThan(
    LIMIT_SECONDS * 1000,
  );
});
