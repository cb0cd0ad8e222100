import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { oneRun } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { pageApp } from '../setup/page-app.js';

let db: Database;
let url: string;
let runId: string;
beforeAll(async () => {
  url = await sharedDatabases().createDatabase();
  db = openDatabase(url);
  ({ runId } = await oneRun(db));
  await db.store.registerHost({ hostId: 'h', hostname: 'h', cpus: 1, memoryMb: 1, gpus: [], backends: [] });
  await db.pool.query(`update runs set status = 'running', host_id = 'h', workspace = '/w' where run_id = $1`, [runId]);
  await db.store.saveAction(runId, 1, { response: 'r', thought: '', action: 'python train.py', modelMs: 1 });
});
afterAll(() => db.close());

const copy = (tail: string, worker = 'h 1', step = 1) => db.store.saveLiveOutput({ runId, step, tail, worker });
const watchedBy = async (hostId: string) =>
  (await db.store.registerHost({ hostId, hostname: hostId, cpus: 1, memoryMb: 1, gpus: [], backends: [] })).watched;

test('what a command prints is kept while somebody looks, with who bears it, and gone when it is over', async () => {
  expect(await copy('nobody looks')).toBe(false);
  expect([await db.pages.liveOutput(runId), await watchedBy('h')]).toEqual([null, []]);
  await db.store.watchRun(runId, 60);
  expect([await watchedBy('h'), await watchedBy('other')]).toEqual([[runId], []]);
  expect(await copy('epoch 1\0')).toBe(true);
  expect(await db.pages.liveOutput(runId)).toMatchObject({ step: 1, tail: 'epoch 1\uFFFD', workers: 1 });
  // Its worker died, and another found the command.
  await copy('epoch 2', 'h 2');
  expect(await db.pages.liveOutput(runId)).toMatchObject({ tail: 'epoch 2', workers: 2 });
  const { rows } = await db.pool.query(`select relpersistence from pg_class where relname = 'live_outputs'`);
  expect(rows).toEqual([{ relpersistence: 'u' }]);
  await db.pool.query(`update watched_runs set until = now() - interval '1 s'`);
  expect([await copy('nobody looks'), await watchedBy('h')]).toEqual([false, []]);
});

test('a page that watches the run is told, and says that it does; one that may only read does not', async () => {
  const app = pageApp(db, url);
  const leaving = new AbortController();
  const response = await app.ask(`/live?topic=run:${runId}`, { signal: leaving.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let told = '';
  const until = async (text: string): Promise<void> => {
    while (!told.includes(text)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the stream ended without ${text}`);
      told += value;
    }
  };
  // The page has asked for it: from then on the worker may copy.
  for (const end = Date.now() + 60_000; !(await copy('epoch 3'));) expect(Date.now()).toBeLessThan(end);
  await until('epoch 3');
  expect(told).toContain('event: output');
  await db.store.saveCommand(runId, 1, {
    ...{ observation: 'all of it', exitCode: 0, timedOut: false, lost: false, outputBytes: 9, requested: null },
    ...{ workingDir: '/w', commandMs: 20 },
  });
  expect(await db.pages.liveOutput(runId)).toBeNull();
  await db.store.dropLiveOutput(runId);
  expect((await db.pool.query('select from live_outputs')).rows).toEqual([]);
  leaving.abort();
  await reader.cancel();
  app.close();
});
