import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, ensureRoles, openDatabase } from '../../db/index.js';
import { homeLayout } from '../../domain/home/layout.js';
import { databaseUrl } from '../../operations/home/database/url.js';
import { oneRun } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const home = mkdtempSync(join(tmpdir(), 'bench-reader-'));
const layout = homeLayout(home);
let url: string;
let db: Database;
let reader: pg.Client;
const bench = (of = url, admin?: string) => ({
  settings: { layout, ...(admin !== undefined && { adminDatabaseUrl: admin }), databaseUrl: of },
  databaseUrl: () => Promise.resolve(of),
});

beforeAll(async () => {
  url = await sharedDatabases().createDatabase();
  db = openDatabase(url);
  await oneRun(db);
  await ensureRoles(url);
  await db.pool.query('create role clerk login in role bench_app; create role stranger login');
  reader = new pg.Client({ connectionString: await databaseUrl(bench(), { owner: false }) });
  await reader.connect();
});
afterAll(async () => {
  await reader.end();
  await db.close();
  rmSync(home, { recursive: true });
});

describe('the address that `bench db url` prints', () => {
  test('is of a user of its own who reads what the reader may; that of the owner needs a word', async () => {
    expect((await reader.query('select model_name from runs')).rowCount).toBe(1);
    const { rows } = await reader.query<{ name: string }>('select session_user as name');
    expect(rows[0]?.name).toMatch(/^bench_reader_[0-9a-f]{8}$/);
    expect(await databaseUrl(bench(), { owner: true })).toBe(url);
  });

  test('stays the same, and its password is private', async () => {
    expect(await databaseUrl(bench(), { owner: false })).toBe(await databaseUrl(bench(), { owner: false }));
    expect(statSync(layout.readerLogin).mode & 0o777).toBe(0o600);
  });

  test('is mended where the user has gone', async () => {
    const before = await databaseUrl(bench(), { owner: false });
    const name = new URL(before).username;
    await reader.end();
    await db.pool.query(`drop owned by ${name}; drop role ${name}`);
    expect(await databaseUrl(bench(), { owner: false })).toBe(before);
    reader = new pg.Client({ connectionString: before });
    await reader.connect();
  });

  test('says so where no such user can be made', async () => {
    rmSync(layout.readerLogin);
    await expect(databaseUrl(bench(url.replace('//postgres:', '//clerk:')), { owner: false })).rejects.toMatchObject({
      code: 'database.access_denied',
      remedy: expect.stringContaining('owner address') as string,
    });
    const made = await databaseUrl(bench(url.replace('//postgres:', '//clerk:'), url), { owner: false });
    expect(new URL(made).username).toMatch(/^bench_reader_/);
  });
});

// psql can leave the transaction, and the read-only mode, which are only defaults.
test.each([
  'delete from runs',
  'create table t (x int)',
  'create temporary table t (x int)',
  `select lo_from_bytea(0, 'x')`,
  'select lo_create(0)',
  `select pg_logical_emit_message(false, 'x', 'x')`,
  `select pg_notify('x', 'y')`,
  'select pg_export_snapshot()',
  'select pg_advisory_lock(1)',
  `set temp_file_limit = '-1'`,
  `set log_min_messages = 'debug5'`,
  'set role postgres',
  'select * from evaluator_key',
  `copy (select 1) to '/tmp/bench-reader'`,
  `select pg_read_file('/etc/passwd')`,
])('lets its user not: %s', async (sql) => {
  await reader.query('set default_transaction_read_only = off');
  await expect(reader.query(sql)).rejects.toThrow(/permission denied/);
});

test('bounds what its user’s sorts leave on the disk, and what the log gets', async () => {
  const { rows } = await reader.query<{ limits: string[] }>(
    `select array[current_setting('temp_file_limit'), current_setting('log_min_messages')] as limits`,
  );
  expect(rows[0]?.limits).toEqual(['1GB', 'fatal']);
});

test('those who write keep what readers lose', async () => {
  const clerk = new pg.Client({ connectionString: url.replace('//postgres:', '//clerk:') });
  await clerk.connect();
  try {
    await clerk.query('begin; create temporary table t (x int) on commit drop');
    await clerk.query(`select pg_advisory_xact_lock(1), pg_notify('x', 'y')`);
    await clerk.query('commit');
  } finally {
    await clerk.end();
  }
});
