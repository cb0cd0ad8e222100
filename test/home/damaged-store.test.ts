import { closeSync, openSync, readdirSync, statSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { killService } from '../chaos/kill-service.js';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import type { DoctorDocument } from '../../domain/views/home.js';
import { servicePaths } from '../../services/home-paths.js';
import { connectTemporal } from '../../temporal/connect.js';
import { BenchHome } from '../setup/bench-home.js';
import { until } from '../setup/services-home.js';

const PAGE = 4096;
const home = new BenchHome({ BENCH_GPUS: 'declared:0,1' });
const { layout } = servicePaths(home.dir);
beforeAll(async () => {
  await home.json('up');
});
afterAll(() => home.remove());

/** A run that has the GPUs, one that waits for them, and one of a paused batch, all under way. */
async function submitted(): Promise<string[]> {
  const batch = ['--models', 'scripted:slow:5', '--tasks', 'battleOfSexes', '--backend', 'local'];
  const submit = async (...more: string[]): Promise<string> =>
    (await home.json<{ batchId: string }>('submit', ...batch, ...more)).batchId;
  const withGpus = await submit('--attempts', '2', '--gpus-per-run', '2');
  const paused = await submit('--attempts', '1');
  const queries = await home.queries();
  await until('they run, and one waits for GPUs', async () => {
    const { byStatus } = await queries.batchStatus(withGpus);
    const other = await queries.batchStatus(paused);
    return byStatus['running'] === 1 && byStatus['waiting_gpu'] === 1 && other.byStatus['running'] === 1;
  });
  await home.run('pause', paused);
  return [withGpus, paused];
}

async function endedByThemselves(batchIds: readonly string[]): Promise<void> {
  const queries = await home.queries();
  for (const batchId of batchIds) {
    await until(`batch ${batchId} has ended`, async () => (await queries.batchStatus(batchId)).status === 'ended');
    const { runs, byEndReason } = await queries.batchStatus(batchId);
    expect(byEndReason).toEqual({ submit: runs });
  }
}

const replaced = async (): Promise<string[]> =>
  (await (await home.queries()).events({ kinds: ['temporal_store_replaced'] })).map(({ detail }) => detail);
const kept = (): string[] =>
  readdirSync(dirname(layout.temporalDb)).filter((name) => /^temporal\.db\.damaged-[0-9TZ]+$/.test(name));

it('runs end by themselves when pages of the store of Temporal were overwritten', async () => {
  const batches = await submitted();
  const bytes = statSync(layout.temporalDb).size;
  const file = openSync(layout.temporalDb, 'r+');
  writeSync(file, Buffer.alloc(bytes - PAGE, 0x5a), 0, bytes - PAGE, PAGE);
  closeSync(file);
  // What the server has in memory is whole: it reads the pages when it starts.
  expect(killService(home, 'temporal')).toBe(true);
  await endedByThemselves(batches);
  await until('an event tells why', async () => (await replaced()).length === 1);
  expect((await replaced())[0]).toMatch(/the server reports ".*\(\d+\)"; it was kept as .*temporal\.db\.damaged-/);
  expect(kept()).toHaveLength(1);
});

it('runs end by themselves when the store is emptied under the running server, and doctor explains it', async () => {
  const batches = await submitted();
  truncateSync(layout.temporalDb, 0);
  await endedByThemselves(batches);
  await until('another event tells why', async () => (await replaced()).length === 2);
  expect(await replaced()).toContainEqual(expect.stringContaining('emptied under the running server'));
  expect(kept()).toHaveLength(2);
  const { checks } = await home.json<DoctorDocument>('doctor');
  const store = checks.find(({ name }) => name === 'store');
  expect(store?.status).toBe('warn');
  expect(store?.detail).toMatch(/was damaged 2 times.*unfinished runs were restarted from PostgreSQL/);
  expect(store?.remedy).toContain('temporal.db.damaged-*');
});

it('the GPU pool is started again when its workflow was terminated, with an event', async () => {
  const temporal = await connectTemporal(await home.json<ServiceEndpoints>('up'), {});
  try {
    const pool = temporal.workflow.getHandle('gpu-pool');
    await pool.terminate('by a test');
    await until('it runs again', async () => (await pool.describe()).status.name === 'RUNNING');
    const events = await (await home.queries()).events({ kinds: ['workflow_terminated'] });
    expect(events.map(({ detail }) => detail)).toContainEqual(expect.stringContaining('gpu-pool was terminated'));
  } finally {
    await temporal.connection.close();
  }
});
