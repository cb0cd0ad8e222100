import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { migrate, schemaState } from '../../db/migrate.js';
import { knownMigrations } from '../../db/migration-files.js';
import { declaredVersion, sqlSources } from '../../db/sql-sources.js';
import { openDatabase } from '../../db/database.js';
import { ensureRoles } from '../../db/roles.js';
import { oneRun } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** What the catalog says of each object that is not a table: another oid, another object. */
const OBJECTS = `
  select p.oid::regprocedure::text as name, p.oid::text as oid from pg_proc p where p.pronamespace = 'public'::regnamespace
  union all
  select c.relname, c.oid::text from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'c')
  union all
  select t.tgname, t.oid::text from pg_trigger t where not t.tgisinternal
  order by 1`;

/** As a version left it whose db/sql was another: of `version`, with `also` besides ours. */
async function madeByAnother(url: string, version: number, also: string[] = []): Promise<void> {
  for (const name of also) await query(url, `create view ${name} as select 1 as one`);
  const drops = also.map((name) => `'drop view ${name}'`).join(', ');
  await query(
    url,
    `update drizzle.sql_objects set version = ${version}, hash = 'other', drops = array[${drops}]::text[] || drops`,
  );
}

describe('migrate', () => {
  test('brings an empty database up to date, and changes nothing the second time', async () => {
    const url = await server.createEmptyDatabase();
    expect(await migrate(url)).toEqual({ applied: knownMigrations().length, created: true });
    const before = await query(url, OBJECTS);
    expect(await migrate(url)).toEqual({ applied: 0, created: false });
    expect(await query(url, OBJECTS)).toEqual(before);
    expect(await query(url, 'select * from leaderboard()')).toEqual([]);
  });

  test('many that start at once migrate a database once', async () => {
    const url = await server.createEmptyDatabase();
    const migrated = await Promise.all([1, 2, 3].map(() => migrate(url)));
    expect(migrated.filter(({ created }) => created)).toEqual([{ applied: knownMigrations().length, created: true }]);
  });

  test('two databases of one server may be migrated at once', async () => {
    const urls = await Promise.all([server.createEmptyDatabase(), server.createEmptyDatabase()]);
    await Promise.all(urls.map(migrate));
    for (const url of urls) expect(await query(url, 'select * from run_scores')).toEqual([]);
  });

  test('a database made by a newer program is refused', async () => {
    const url = await server.createDatabase();
    await query(url, `insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)`);
    await expect(migrate(url)).rejects.toMatchObject({
      type: 'usage',
      message: expect.stringContaining('newer version') as string,
    });
  });

  test('a database made before the first release is refused, with the way out', async () => {
    const url = await server.createDatabase();
    await query(url, `update drizzle.__drizzle_migrations set hash = 'old', created_at = 1795225265863`);
    await expect(migrate(url)).rejects.toMatchObject({
      type: 'usage',
      message: expect.stringContaining('before the first release') as string,
      remedy: expect.stringMatching(/`bench export <batch>`.*`bench import jsonl <file>`/) as string,
    });
  });

  test('a database with another history is refused', async () => {
    const url = await server.createDatabase();
    await query(url, `update drizzle.__drizzle_migrations set hash = 'other' where id = 1`);
    await expect(migrate(url)).rejects.toMatchObject({
      type: 'usage',
      message: expect.stringContaining('another history') as string,
    });
  });

  test('a database with tables of other programs is refused, and left as it was', async () => {
    const url = await server.createEmptyDatabase();
    await query(url, 'create table runs (mine text)');
    await expect(migrate(url)).rejects.toMatchObject({ type: 'usage' });
    expect(await query(url, `select count(*)::int as n from pg_tables where schemaname = 'public'`)).toEqual([
      { n: 1 },
    ]);
  });

  test('a server that does not answer, a missing database and a malformed URL are said plainly, without the password', async () => {
    const url = await server.createEmptyDatabase();
    const nowhere = migrate('postgres://me:s3cret@127.0.0.1:1/bench');
    await expect(nowhere).rejects.toMatchObject({
      type: 'services',
      message: 'Postgres at 127.0.0.1:1/bench does not answer: ECONNREFUSED',
    });
    await expect(migrate(url.replace(/[^/]+$/, 'nonesuch'))).rejects.toMatchObject({
      type: 'services',
      message: expect.stringContaining('does not exist') as string,
    });
    for (const bad of ['nonsense', 'mysql://localhost/x', ''])
      await expect(migrate(bad)).rejects.toMatchObject({ type: 'usage', exitCode: 2 });
  });

  test('a user who may not create roles or a schema is told what to grant', async () => {
    const url = await server.createEmptyDatabase();
    await query(url, 'create role weak login');
    await expect(migrate(url.replace('//postgres:', '//weak:'))).rejects.toMatchObject({
      type: 'services',
      remedy: expect.stringContaining('grant CREATE') as string,
    });
  });

  test('a user who owns the database but may create no roles can migrate it', async () => {
    const url = await server.createEmptyDatabase();
    const name = url.split('/').at(-1) ?? '';
    await query(url, 'create role plain_owner login');
    await query(url, `alter database ${name} owner to plain_owner`);
    const asOwner = url.replace('//postgres:', '//plain_owner:');
    await migrate(asOwner);
    expect(await query(asOwner, 'select * from run_scores')).toEqual([]);
  });
});

describe('views and functions of db/sql', () => {
  const { version } = declaredVersion();

  test('are all made anew when one of them changed, and what is no longer among them goes', async () => {
    const url = await server.createDatabase();
    const before = await query(url, OBJECTS);
    await query(url, `create view mine as select count(*) as runs from runs`);
    await madeByAnother(url, version, ['gone']);
    expect((await schemaState(url)).state).toBe('behind');
    expect(await migrate(url)).toEqual({ applied: 0, created: true });

    const after = await query(url, OBJECTS);
    const names = (rows: Record<string, unknown>[]) => rows.map(({ name }) => name);
    expect(names(after.filter(({ name }) => name !== 'mine'))).toEqual(names(before));
    expect(names(after)).toContain('mine');
    const kept = new Set(before.map(({ oid }) => oid));
    expect(after.filter(({ oid }) => kept.has(oid))).toEqual([]);
    expect(await migrate(url)).toEqual({ applied: 0, created: false });
  });

  test('stay readable for bench_reader and bench_app when they are made anew', async () => {
    const url = await server.createDatabase();
    await ensureRoles(url);
    const readers = `select r.role from unnest('{bench_reader,bench_app}'::text[]) as r(role)
      where has_table_privilege(r.role, 'run_scores', 'select') and has_function_privilege(r.role, 'score_runs(boolean)', 'execute')`;
    expect(await query(url, readers)).toHaveLength(2);
    await madeByAnother(url, version);
    await migrate(url);
    expect(await query(url, readers)).toHaveLength(2);
  });

  test('compute anew what those of before had stored', async () => {
    const url = await server.createDatabase();
    const db = openDatabase(url);
    const { runId } = await oneRun(db);
    await db.close();
    await query(
      url,
      `insert into run_results (run_id, evaluations, suspects, without_isolation) values ('${runId}', 7, 0, false)`,
    );
    await madeByAnother(url, version);
    await migrate(url);
    expect(await query(url, 'select * from run_results')).toEqual([]);
  });

  test('are made anew after a deadlock with a worker that writes meanwhile', async () => {
    const url = await server.createDatabase();
    await madeByAnother(url, version);
    // In this order the migration locks tables to drop their triggers.
    const rows = await query(
      url,
      `select distinct on (on_table) on_table, turn from (
         select turn, substring(statement from '^drop trigger .* on (.*)$') as on_table
         from drizzle.sql_objects, unnest(drops) with ordinality as d(statement, turn)) t
       where on_table is not null order by on_table, turn`,
    );
    const [first, second, third] = rows
      .sort((a, b) => Number(a['turn']) - Number(b['turn']))
      .map((row) => String(row['on_table']));
    expect(rows.length).toBeGreaterThan(2);
    const [holder, writer] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([holder.connect(), writer.connect()]);
    const waiting = async (): Promise<number> =>
      (
        await query(
          url,
          'select from pg_locks l join pg_database d on d.oid = l.database where not granted and datname = current_database()',
        )
      ).length;
    const untilWaiting = (count: number) => vi.waitUntil(async () => (await waiting()) === count, { timeout: 300_000 });
    try {
      await holder.query(`begin; lock table ${second} in access share mode`);
      // It never gives way by itself: the migration must.
      await writer.query(`set deadlock_timeout = '1h'; begin; lock table ${third} in access share mode`);
      const migrated = migrate(url);
      await untilWaiting(1);
      const written = writer.query(`lock table ${first} in access share mode`);
      await untilWaiting(2);
      await holder.query('commit');
      await written;
      await writer.query('commit');
      expect(await migrated).toEqual({ applied: 0, created: true });
      // The count is written when the connection that met it has ended.
      await vi.waitUntil(
        async () =>
          (await query(url, 'select from pg_stat_database where datname = current_database() and deadlocks = 1'))
            .length === 1,
        { timeout: 300_000 },
      );
    } finally {
      await Promise.all([holder.end(), writer.end()]);
    }
  });

  test('have bodies that PostgreSQL takes, which a migration does not look at', async () => {
    const url = await server.createEmptyDatabase();
    const tables = knownMigrations().flatMap(({ statements }) => statements);
    const objects = sqlSources().map(({ text }) => text);
    await query(url, [...tables, 'set check_function_bodies = on', ...objects].join(';\n'));
    expect((await query(url, OBJECTS)).length).toBeGreaterThan(objects.length / 2);
  });

  test('on which something of a user’s rests are left as they are, and the user is told', async () => {
    const url = await server.createDatabase();
    await query(url, 'create view mine as select * from run_scores');
    await madeByAnother(url, version);
    const before = await query(url, OBJECTS);
    await expect(migrate(url)).rejects.toMatchObject({
      type: 'usage',
      message: expect.stringContaining('run_scores') as string,
      remedy: expect.stringContaining('bench db migrate') as string,
    });
    expect(await query(url, OBJECTS)).toEqual(before);
    await query(url, 'drop view mine');
    expect(await migrate(url)).toEqual({ applied: 0, created: true });
  });

  test('of a later version are not replaced by those of this one', async () => {
    const url = await server.createDatabase();
    await madeByAnother(url, version + 1);
    await expect(migrate(url)).rejects.toThrow('newer version of this program');
  });
});
