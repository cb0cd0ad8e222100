import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { migrate } from '../../db/migrate.js';
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

const applied = 'select count(*)::int as n from drizzle.__drizzle_migrations';

describe('migrate', () => {
  test('brings an empty database up to date, and changes nothing the second time', async () => {
    const url = await server.createEmptyDatabase();
    await migrate(url);
    const [before] = await query(url, applied);
    await migrate(url);
    expect(await query(url, applied)).toEqual([before]);
    expect(await query(url, 'select * from leaderboard()')).toEqual([]);
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
