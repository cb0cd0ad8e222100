import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { BenchError } from '../../domain/errors.js';
import { oneRun } from '../fixtures/rows.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';

// A server of its own: it is killed.
let server: TestPostgres;
let db: Database;
beforeAll(async () => {
  server = await startPostgres();
  db = openDatabase(await server.createDatabase());
});
afterAll(async () => {
  await db.close();
  await server.stop();
});

const action = { response: 'I do ls', thought: 'I do', action: 'ls', modelMs: 3.25 };

test('a server that was killed is an InfrastructureError, and its return is noticed', async () => {
  const { runId } = await oneRun(db);
  await server.crash();
  await expect(db.store.saveAction(runId, 1, action)).rejects.toMatchObject({ name: 'DatabaseAway' });
  await expect(db.queries.showRun(runId)).rejects.toSatisfy((e) => e instanceof BenchError && e.type === 'services');
  await server.restart();
  await db.store.saveAction(runId, 1, action);
  expect((await db.store.step(runId, 1))?.action).toBe('ls');
});
