import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkSchema, ensureRoles, migrate, openDatabase, runReadOnlyQuery } from '../../db/index.js';
import { knownMigrations } from '../../db/migration-files.js';
import { checkExternalDatabase } from '../../services/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';
import { Certificates } from '../setup/temporal-gateway.js';
import { run, submission, task } from '../fixtures/rows.js';

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

describe('a database of somebody else’s', () => {
  const certificates = new Certificates();
  const foreign = new Certificates();
  let server: TestPostgres;
  let admin: string;
  const as = (user: string, url = admin) => url.replace('//postgres:', `//${user}:`);

  beforeAll(async () => {
    server = await startPostgres({ tls: certificates.issue('localhost') });
    admin = await server.createEmptyDatabase();
    await execute(admin, 'create role plain login');
  });
  afterAll(async () => {
    await server.stop();
    for (const made of [certificates, foreign]) made.remove();
  });

  it('is migrated and given its roles by commands of their own, as its owner', async () => {
    const home = new BenchHome({ DATABASE_URL: as('plain'), BENCH_OWNER_DATABASE_URL: admin });
    const before = checkSchema(admin);
    await expect(before).rejects.toMatchObject({ remedy: expect.stringContaining('bench db migrate') as string });
    const migrations = knownMigrations().length;
    expect(await home.json('db', 'migrate')).toEqual({ applied: migrations, created: true, migrations });
    expect(await home.json('db', 'migrate')).toEqual({ applied: 0, created: false, migrations });
    expect(await home.json('db', 'roles')).toEqual({
      worker: 'bench_worker',
      app: 'bench_app',
      reader: 'bench_reader',
    });
    await ensureRoles(admin);
    await home.remove();
  });

  it('lets a user of the role bench_app do all work on rows, and change no table', async () => {
    await execute(admin, 'create role worker login in role bench_app');
    const url = as('worker');
    await migrate(url);
    await checkSchema(url);
    const db = openDatabase(url, { max: 2 });
    const batch = submission('of a worker', (batchId) => [run(batchId, task('t'), 'm', 1)]);
    await db.intake.submit(batch);
    await db.store.addEvent({
      runId: batch.runs[0]?.runId ?? null,
      batchId: null,
      kind: 'sandbox_reaped',
      key: 'k',
      detail: 'd',
    });
    expect((await db.queries.listRuns()).map(({ task: of }) => of)).toEqual(['t']);
    expect((await db.queries.metrics()).find(({ name }) => name === 'bench_runs')?.samples).toEqual([
      { labels: { status: 'queued' }, value: 1 },
    ]);
    await db.close();
    for (const sql of [
      'create table t (a int)',
      'drop table runs',
      'alter table runs add column a int',
      'truncate runs',
    ])
      await expect(execute(url, sql), sql).rejects.toMatchObject({ code: '42501' });
    const { rows } = await runReadOnlyQuery(url, 'select count(*)::int from runs', { timeoutMs: 20_000 });
    expect(rows).toEqual([[1]]);
  });

  it('lets a user of the role bench_reader read, and write nothing', async () => {
    await execute(admin, 'create role analyst login in role bench_reader');
    const { rows } = await runReadOnlyQuery(as('analyst'), 'select count(*)::int from runs', { timeoutMs: 20_000 });
    expect(rows).toEqual([[1]]);
    await expect(execute(as('analyst'), 'delete from runs')).rejects.toMatchObject({ code: '42501' });
  });

  it('whose schema lacks migrations, or has later ones, is refused with what to do', async () => {
    const empty = await server.createEmptyDatabase();
    const remedy = expect.stringContaining('bench db migrate') as string;
    await expect(migrate(as('worker', empty))).rejects.toMatchObject({ type: 'services', remedy });
    await expect(checkSchema(as('worker', empty))).rejects.toMatchObject({ type: 'usage', remedy });
    const later = await server.createDatabase();
    await execute(later, `insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 9999999999999)`);
    await expect(checkSchema(later)).rejects.toThrow('newer version of this program');
  });

  it('is reached over TLS when its URL says so, and told in one line when its certificate is not to be trusted', async () => {
    const over = (authority: string) =>
      `${admin.replace('127.0.0.1', 'localhost')}?sslmode=verify-full&sslrootcert=${authority}`;
    const good = over(certificates.authority);
    await checkExternalDatabase(good);
    await checkSchema(good);
    await checkExternalDatabase(over(foreign.authority));
    const refused = checkSchema(over(foreign.authority));
    await expect(refused).rejects.toMatchObject({
      type: 'services',
      message: expect.stringContaining('TLS') as string,
    });
  });
});
