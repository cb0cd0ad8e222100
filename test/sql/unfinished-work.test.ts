import { afterAll, beforeAll, expect, test } from 'vitest';
import pg from 'pg';
import { type Database, openDatabase } from '../../db/index.js';
import { submission, run, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
let admin: pg.Client;
beforeAll(async () => {
  const url = await server.createDatabase();
  db = openDatabase(url);
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await db.close();
});

const ended = { endReason: 'submit', finalEvaluation: 'not_run', detail: null } as const;
const older = (table: 'batches' | 'runs', column: string, key: string, id: string) =>
  admin.query(`update ${table} set ${column} = now() - interval '1 hour' where ${key} = $1`, [id]);

async function stored(runs = 2): Promise<{ batchId: string; runIds: string[] }> {
  const batch = submission(null, (batchId) =>
    Array.from({ length: runs }, (_, nth) => run(batchId, task('t'), 'm', nth + 1)),
  );
  await db.intake.submit(batch);
  return { batchId: batch.batch.batchId, runIds: batch.runs.map(({ runId }) => runId) };
}

test('unfinished work: batches until they have ended, runs from their beginning to their end', async () => {
  const { store } = db;
  const { batchId, runIds } = await stored();
  const [first = '', second = ''] = runIds;
  // Its command is about to start it.
  expect((await store.unfinishedWork()).batchIds).not.toContain(batchId);
  await older('batches', 'created_at', 'batch_id', batchId);
  await store.setStatus(first, 'waiting_gpu');
  const { batchIds, settledIds, runs } = await store.unfinishedWork();
  expect(batchIds).toContain(batchId);
  expect(settledIds).not.toContain(batchId);
  expect(runs).toEqual([{ runId: first, batchId }]);
  expect(await store.isUnfinished({ runId: second })).toBe(true);

  await store.finishRuns(runIds, ended);
  expect((await store.unfinishedWork()).runs).toEqual([]);
  expect(await store.isUnfinished({ runId: first })).toBe(false);
  // It ends by itself, a moment after its last run.
  expect((await store.unfinishedWork()).settledIds).not.toContain(batchId);
  for (const runId of runIds) await older('runs', 'ended_at', 'run_id', runId);
  expect((await store.unfinishedWork()).settledIds).toContain(batchId);
  expect(await store.isUnfinished({ batchId })).toBe(true);
  await store.finishBatch(batchId, 'ended');
  expect(await store.isUnfinished({ batchId })).toBe(false);
  expect((await store.unfinishedWork()).batchIds).not.toContain(batchId);
});

test('runs that no workflow of a batch starts have no batch', async () => {
  const { store } = db;
  const { batchId, runIds } = await stored(1);
  await older('batches', 'created_at', 'batch_id', batchId);
  await admin.query('update batches set training = true where batch_id = $1', [batchId]);
  await store.setStatus(runIds[0] ?? '', 'running');
  const { batchIds, runs } = await store.unfinishedWork();
  expect(batchIds).not.toContain(batchId);
  expect(runs).toContainEqual({ runId: runIds[0], batchId: null });
});
