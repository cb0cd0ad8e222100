import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { oneRun } from '../fixtures/rows.js';
import { seededRandom } from '../setup/random.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { LONG } from '../setup/long.js';

const ROUNDS = LONG ? 100 : 8;
const SEED = Number(process.env['BENCH_TEST_SEED'] ?? 12);
const PLAYERS = 6;

const server = sharedDatabases();
let url: string;
let db: Database;
let admin: pg.Client;
beforeAll(async () => {
  url = await server.createDatabase();
  db = openDatabase(url, { max: 2 });
  admin = new pg.Client({ connectionString: url, application_name: 'terminator' });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await db.close();
});

test(`a worker's process outlives ${ROUNDS} rounds of terminated connections, and all its work is stored once`, async () => {
  const random = seededRandom(SEED);
  const runIds: string[] = [];
  for (let n = 0; n < PLAYERS; n++) runIds.push((await oneRun(db)).runId);
  const script = fileURLToPath(new URL('store-traffic.ts', import.meta.url));
  const traffic = execa('node', ['--import', 'tsx', script, JSON.stringify({ databaseUrl: url, runIds })], {
    reject: false,
  });
  const exited = once(traffic, 'exit');
  let done = 0;
  let onWork: () => void = () => undefined;
  traffic.stdout.on('data', (text: Buffer) => {
    done += text.toString().split('done\n').length - 1;
    onWork();
  });
  const moreThan = (before: number) =>
    new Promise<void>((resolve) => {
      onWork = () => done > before && resolve();
      onWork();
    });

  let terminated = 0;
  for (let round = 0; round < ROUNDS && traffic.exitCode === null; round++) {
    // Work is finished between two rounds, however slow the machine.
    await Promise.race([moreThan(done), exited]);
    await pause(random() * 20);
    const { rows } = await admin.query<{ n: number }>(
      `select count(*) filter (where pg_terminate_backend(pid))::int as n from pg_stat_activity
       where datname = current_database() and application_name = 'bench'`,
    );
    terminated += rows[0]?.n ?? 0;
  }
  traffic.stdin.end();
  const { exitCode, stderr, stdout } = await traffic;
  expect({ exitCode, stderr }, `seed ${SEED}`).toEqual({ exitCode: 0, stderr: '' });
  expect(terminated).toBeGreaterThan(ROUNDS);

  const { steps, lost } = JSON.parse(stdout.split('\n').at(-1) ?? '') as {
    steps: Record<string, number>;
    lost: number;
  };
  expect(lost).toBeGreaterThan(0);
  const { rows } = await admin.query<{ run: string; n: number; last: number }>(
    'select run_id as run, count(*)::int as n, max(step) as last from steps group by run_id',
  );
  expect(Object.fromEntries(rows.map(({ run, n }) => [run, n]))).toEqual(steps);
  expect(Object.fromEntries(rows.map(({ run, last }) => [run, last]))).toEqual(steps);
});
