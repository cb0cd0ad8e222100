import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { readingBench } from '../../operations/home/page/reading-bench.js';
import { oneRun, task } from '../fixtures/rows.js';
import { pageBench } from '../setup/page-server.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
let url: string;
let runId: string;
beforeAll(async () => {
  url = await server.createDatabase();
  db = openDatabase(url);
  ({ runId } = await oneRun(db, task('only-here')));
});
afterAll(async () => {
  await db.close();
});

test('each store of a bench that only reads refuses to write', async () => {
  const { bench, home } = pageBench(db, url);
  const reading = readingBench({ ...bench, close: () => Promise.resolve() });
  try {
    expect(await reading.queries.runIds()).toEqual([runId]);
    // read_only_sql_transaction
    await expect(reading.store.watchRun(runId, 45)).rejects.toThrow(/SQLSTATE 25006/);
    await bench.store.watchRun(runId, 45);
  } finally {
    await reading.close();
    rmSync(home, { recursive: true });
  }
});
