import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { stepRecord } from '../fakes/records.js';
import { oneRun } from '../fixtures/rows.js';
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

const host = { hostname: 'h', cpus: 4, memoryMb: 8000, gpus: [], backends: ['docker' as const] };
const stateOf = async (batchId: string) => {
  const { blockedBy, lastStepAt } = await db.queries.batchStatus(batchId);
  const page = await db.pages.batchHead(batchId);
  // Both interfaces say the same.
  expect([page.batch.blockedBy, page.batch.lastStepAt]).toEqual([blockedBy, lastStepAt]);
  return { blockedBy, lastStepAt };
};

test('a batch says what blocks it, until its next step or its end', async () => {
  const { store } = db;
  const { runId, batchId } = await oneRun(db);
  await store.registerHost({ hostId: 'one', ...host, pauseReason: 'its disk is full: 1 MB are free' });
  await store.setStatus(runId, 'waiting_host');
  expect(await stateOf(batchId)).toEqual({
    blockedBy: { cause: 'disk', detail: 'no host accepts runs: one is paused: its disk is full: 1 MB are free' },
    lastStepAt: null,
  });
  await store.registerHost({ hostId: 'one', ...host });
  await store.sandboxStarted(runId, {
    epoch: 1,
    hostId: 'one',
    isolation: 'container',
    imageDigest: 'd',
    workspace: '/w',
  });
  await store.setStatus(runId, 'running');
  expect((await stateOf(batchId)).blockedBy).toBeNull();

  const detail = 'step 1: a snapshot retried (attempt 2): the artifact store s3://b does not answer';
  await store.addEvent({ runId, batchId: null, kind: 'activity_retried', key: 'k', detail });
  expect((await stateOf(batchId)).blockedBy).toEqual({ cause: 'artifacts', detail });
  await admin.query(
    `insert into steps (run_id, step, response, thought, action, observation) values ($1, 1, $2, '', 'ls', '')`,
    [runId, stepRecord().response],
  );
  const moved = await stateOf(batchId);
  expect(moved.blockedBy).toBeNull();
  expect(moved.lastStepAt).not.toBeNull();

  await admin.query(`update hosts set seen_at = now() - interval '1 hour' where host_id = 'one'`);
  expect((await stateOf(batchId)).blockedBy).toMatchObject({ cause: 'host' });
  await store.finishRun(runId, { endReason: 'submit', finalEvaluation: 'not_run', detail: null });
  await store.startBatch(batchId);
  await store.finishBatch(batchId, 'ended');
  expect(await stateOf(batchId)).toEqual({ blockedBy: null, lastStepAt: moved.lastStepAt });
});
