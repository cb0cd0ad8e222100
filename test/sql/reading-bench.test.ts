import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { readingBench } from '../../operations/home/page/reading-bench.js';
import { oneRun } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

let db: Database;
let url: string;
let batchId: string;
beforeAll(async () => {
  url = await sharedDatabases().createDatabase();
  db = openDatabase(url);
  await oneRun(db);
  batchId = (await db.queries.findBatch(undefined)).batchId;
});
afterAll(() => db.close());

test('every store of a reading bench reads, and none writes', async () => {
  const ended: string[] = [];
  const reading = readingBench({
    ...db,
    databaseUrl: () => Promise.resolve(url),
    reconnect: () => Promise.resolve(void ended.push('reconnect')),
    close: () => Promise.resolve(void ended.push('close')),
  });
  expect((await reading.queries.findBatch(undefined)).batchId).toBe(batchId);
  await expect(reading.batchControl.pause(batchId)).rejects.toThrow(/25006/);
  await reading.reconnect();
  expect((await reading.pages.batchHead(batchId)).batch.batchId).toBe(batchId);
  await reading.close();
  expect(ended).toEqual(['reconnect', 'close']);
});
