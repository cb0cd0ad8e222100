import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Database, ensureRoles, migrate, openDatabase, runReadOnlyQuery } from '../../db/index.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
let url: string;
beforeEach(async () => {
  url = await server.createDatabase();
  db = open(url);
});

function open(at: string): Database {
  const opened = openDatabase(at, { max: 4 });
  onTestFinished(() => opened.close());
  return opened;
}

const FORMER = 'ab'.repeat(32);
const register = (hostId: string) =>
  db.store.registerHost({ hostId, homeId: hostId, hostname: hostId, cpus: 1, memoryMb: 1, gpus: [], backends: [] });

describe('the key of the evaluators’ seeds', () => {
  it('is made once, whichever of many workers comes first', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => open(url).keys.evaluator(null)));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(await db.keys.sealing(null)).not.toBe(keys[0]);
  });

  it('of a home of an earlier version stays what it was, also when another host comes first', async () => {
    await register('old');
    for (const key of ['evaluator', 'sealing'] as const) {
      await expect(db.keys[key](null)).rejects.toMatchObject({ type: 'usage', code: 'database.key_missing' });
      expect(await db.keys[key](FORMER)).toBe(FORMER);
      expect(await db.keys[key](null)).toBe(FORMER);
      expect(await db.keys[key]('cd'.repeat(32))).toBe(FORMER);
    }
  });

  it('is made anew when the hosts that had it are removed', async () => {
    await register('old');
    await db.pool.query('update hosts set removed_at = now()');
    expect(await db.keys.evaluator(null)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is read by workers alone: not by commands, the page, or readers', async () => {
    const key = await db.keys.evaluator(null);
    await db.keys.sealing(null);
    await ensureRoles(url);
    for (const role of ['worker', 'app', 'reader'])
      await db.pool.query(
        `do $$ begin create role of_${role} login in role bench_${role}; exception when duplicate_object then null; end $$`,
      );
    const as = (role: string) => open(url.replace('//postgres:', `//of_${role}:`));
    expect(await as('worker').keys.evaluator(null)).toBe(key);
    await expect(as('app').keys.evaluator(null)).rejects.toMatchObject({
      code: 'database.access_denied',
      remedy: expect.stringContaining('grant bench_worker to') as string,
    });
    expect(await as('app').keys.sealing(null)).toBe(await as('worker').keys.sealing(null));
    const page = openDatabase(url, { reads: true });
    onTestFinished(() => page.close());
    for (const table of ['evaluator_key', 'sealing_key']) {
      for (const reader of [as('reader'), page])
        await expect(reader.pool.query(`select * from ${table}`), table).rejects.toMatchObject({ code: '42501' });
      await expect(runReadOnlyQuery(url, `select * from ${table}`, { timeoutMs: 60_000 })).rejects.toThrow(
        'permission denied',
      );
    }
    await expect(as('app').pool.query('select * from evaluator_key')).rejects.toMatchObject({ code: '42501' });
    for (const change of ['update evaluator_key set key = $1', 'delete from evaluator_key where key <> $1'])
      await expect(as('worker').pool.query(change, ['x'])).rejects.toMatchObject({ code: '42501' });
  });

  it('stays hidden when it comes into a database that has its roles', async () => {
    await ensureRoles(url);
    // As after a migration that made the table under default privileges.
    await db.pool.query('grant all on evaluator_key, sealing_key to bench_app, bench_reader');
    await db.pool.query(`update drizzle.sql_objects set version = version - 1, hash = 'other'`);
    await migrate(url);
    const { rows } = await db.pool.query<{ role: string; reads: boolean }>(
      `select role, has_table_privilege(role, 'evaluator_key', 'select') as reads
       from unnest('{bench_worker,bench_app,bench_reader}'::text[]) as role`,
    );
    expect(rows.filter(({ reads }) => reads).map(({ role }) => role)).toEqual(['bench_worker']);
  });
});
