import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectTemporal } from '../../temporal/connect.js';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';
import { until } from '../setup/services-home.js';

const docker = new Docker();
const configs = mkdtempSync(join(tmpdir(), 'bench-test-configs-'));
let home: BenchHome;
let temporal: Client;
beforeAll(async () => {
  cpSync(BUNDLED_CONFIGS, configs, { recursive: true });
  const referee = join(configs, 'tasks', 'battleOfSexes', 'evaluator', 'referee.py');
  const text = readFileSync(referee, 'utf8');
  writeFileSync(referee, text.replace(/^def evaluate\(.*:$/m, '$&\n    __import__("time").sleep(250)'));
  home = new BenchHome({ BENCH_CONFIGS: configs, BENCH_EVALUATIONS: '1' });
  temporal = await connectTemporal(await home.json<ServiceEndpoints>('up'), {});
});
afterAll(async () => {
  await temporal.connection.close();
  await home.remove();
  rmSync(configs, { recursive: true, force: true });
});

const evaluators = async (runIds: readonly string[]): Promise<string[]> => {
  const all = await docker.listContainers({ all: true, filters: { label: ['bench.evaluation'] } });
  return all.flatMap(({ Labels: labels }) =>
    runIds.some((runId) => labels['bench.evaluation']?.startsWith(runId)) ? [labels['bench.evaluation'] ?? ''] : [],
  );
};

it('cancel ends evaluations, the one under way and the one that waits for its place', async () => {
  const { batchId, runs } = await home.json<{ batchId: string; runs: { runId: string }[] }>(
    ...[
      'submit',
      '--models',
      'scripted:baseline',
      '--tasks',
      'battleOfSexes',
      '--attempts',
      '2',
      '--backend',
      'docker',
    ],
  );
  const runIds = runs.map(({ runId }) => runId);
  await until('an evaluation is under way, and another asked for', async () => {
    if ((await evaluators(runIds)).length === 0) return false;
    const pending = await Promise.all(runIds.map(async (runId) => pendingActivities(`run/${runId}`)));
    return pending.every((names) => names.includes('evaluate'));
  });
  const asked = Date.now();
  expect((await home.run('cancel', batchId)).exitCode).toBe(0);
  const queries = await home.queries();
  await until('the batch is cancelled', async () => (await queries.batchStatus(batchId)).status === 'cancelled');
  console.info(`cancelled after ${Date.now() - asked} ms`);
  // The evaluation itself would have taken minutes more.
  expect(await evaluators(runIds)).toEqual([]);
  for (const runId of runIds) expect(await pendingActivities(`run/${runId}`)).toEqual([]);
  expect((await queries.batchStatus(batchId)).byEndReason).toEqual({ cancelled: 2 });
});

async function pendingActivities(workflowId: string): Promise<string[]> {
  try {
    const { raw } = await temporal.workflow.getHandle(workflowId).describe();
    return (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? '');
  } catch {
    return [];
  }
}
