import { execa } from 'execa';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, ensureRoles, openDatabase, runReadOnlyQuery } from '../../db/index.js';
import { oneRun } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { notTested } from '../setup/not-tested.js';

const server = sharedDatabases();
let db: Database;
let url: string;
beforeAll(async () => {
  const admin = await server.createDatabase();
  db = openDatabase(admin);
  await oneRun(db);
  // As `bench sql` of a superuser does: it takes set_config from everybody.
  await runReadOnlyQuery(admin, 'select 1', { timeoutMs: 60_000 });
  await ensureRoles(admin);
  await db.pool.query('create role dumper login in role bench_worker');
  url = admin.replace('//postgres:', '//dumper:');
});
afterAll(async () => {
  await db.close();
});

describe('a user of the role bench_worker', () => {
  it('may do all that pg_dump does: set_config, lock and read each table, read each sequence', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(`select pg_catalog.set_config('search_path', '', false)`);
      await client.query('set row_security = off');
      const { rows } = await client.query<{ name: string; kind: string }>(
        `select format('%I.%I', n.nspname, c.relname) as name, c.relkind::text as kind
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p', 'S') and n.nspname !~ '^(pg_|information_schema$)' order by 1`,
      );
      expect(rows.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['public.runs', 'drizzle.__drizzle_migrations', 'drizzle.sql_objects']),
      );
      expect(rows.filter(({ kind }) => kind === 'S').map(({ name }) => name)).toEqual(
        expect.arrayContaining(['drizzle.__drizzle_migrations_id_seq']),
      );
      for (const { name, kind } of rows) {
        if (kind === 'S') await client.query(`select last_value, is_called from ${name}`);
        else {
          await client.query(`begin; lock table ${name} in access share mode; commit`);
          await client.query(`select * from ${name}`);
        }
      }
    } finally {
      await client.end();
    }
  });

  it('writes a backup with pg_dump, as docs/reference/maintenance.md has it', async () => {
    const { rows } = await db.pool.query<{ version: number }>(
      `select current_setting('server_version_num')::int / 10000 as version`,
    );
    const { stdout: program = '' } = await execa('pg_dump', ['--version'], { reject: false });
    const version = Number(/ (\d+)/.exec(program)?.[1] ?? 0);
    // An older one refuses the server.
    if (version < rows[0]!.version) {
      notTested(
        'pg_dump',
        `none of PostgreSQL ${rows[0]!.version} is on PATH: install postgresql-client-${rows[0]!.version}`,
      );
      return;
    }
    const { stdout } = await execa('pg_dump', ['--format=plain', url]);
    expect(stdout).toContain('COPY public.runs ');
  });

  it('still reads as bench_reader with `bench sql`, which can set nothing', async () => {
    expect((await runReadOnlyQuery(url, 'select current_user', { timeoutMs: 60_000 })).rows).toEqual([
      ['bench_reader'],
    ]);
    await expect(
      runReadOnlyQuery(url, `select set_config('role', 'dumper', false)`, { timeoutMs: 60_000 }),
    ).rejects.toThrow('permission denied for function set_config');
  });
});
