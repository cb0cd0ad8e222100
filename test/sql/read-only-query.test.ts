import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase, runReadOnlyQuery } from '../../db/index.js';
import { oneRun } from '../fixtures/rows.js';
import { LONG } from '../setup/long.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
let superuser: string;
let owner: string;
beforeAll(async () => {
  superuser = await server.createDatabase();
  db = openDatabase(superuser);
  await oneRun(db);
  await db.pool.query(`
    create role owner_without_reader login;
    create table loot (x int);
    grant all on all tables in schema public to owner_without_reader;
    grant create on schema public to owner_without_reader;
    create function sneaky() returns int language plpgsql as $$ begin delete from events; insert into loot values (1); return 1; end $$;
    create function powerful() returns int language plpgsql security definer as
      $$ begin insert into loot values (1); return 1; end $$;
  `);
  owner = superuser.replace('//postgres:', '//owner_without_reader:');
});
afterAll(async () => {
  await db.close();
});

const ask = (sql: string, url = superuser, timeoutMs = 20_000) => runReadOnlyQuery(url, sql, { timeoutMs });
const readersAtWork = async (): Promise<number> => {
  const { rows } = await db.pool.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query ~ 'bench_query'`,
  );
  return rows[0]!.n;
};
const MARK = '/tmp/bench-db-test-pwned';

describe('a query', () => {
  test('answers with columns and rows, integers as numbers, money as text', async () => {
    expect(
      await ask(
        `select count(*) as n, 'x' as n, 1.50::numeric as usd, 9007199254740993 as big, null as nothing from runs;`,
      ),
    ).toEqual({
      columns: ['n', 'n', 'usd', 'big', 'nothing'],
      rows: [[1, 'x', '1.50', '9007199254740993', null]],
      truncated: false,
    });
  });

  test('may be a WITH, a VALUES or a TABLE, may end in a comment, and may find nothing', async () => {
    expect((await ask('with a as (select 1 as x) select * from a -- so')).rows).toEqual([[1]]);
    expect((await ask('values (1), (2)')).rows).toEqual([[1], [2]]);
    expect(await ask('table events')).toMatchObject({ rows: [], truncated: false });
    expect((await ask('table events')).columns).toContain('detail');
    expect((await ask('select * from leaderboard(include_scripted => true)')).rows).toHaveLength(1);
    for (const view of ['run_scores', 'leaderboard_entries', 'overall_leaderboard_entries'])
      expect((await ask(`select * from ${view}`)).rows).toHaveLength(1);
  });

  test('is cut at maxRows, and says so', async () => {
    const cut = await runReadOnlyQuery(superuser, 'select generate_series(1, 1000000000)', {
      timeoutMs: 20_000,
      maxRows: 7_000,
    });
    expect([cut.rows.length, cut.truncated]).toEqual([7_000, true]);
    const whole = await runReadOnlyQuery(superuser, 'select generate_series(1, 7000)', {
      timeoutMs: 20_000,
      maxRows: 7_000,
    });
    expect([whole.rows.length, whole.truncated]).toEqual([7_000, false]);
  });

  test('runs as the reader under a superuser', async () => {
    expect((await ask('select current_user, session_user')).rows).toEqual([['bench_reader', 'postgres']]);
  });

  test('runs as itself where it may not be the reader', async () => {
    expect((await ask('select current_user, (select count(*) from runs)', owner)).rows).toEqual([
      ['owner_without_reader', 1],
    ]);
  });

  test('that is wrong says what is wrong with it', async () => {
    await expect(ask('select nonsense from runs')).rejects.toMatchObject({
      type: 'usage',
      exitCode: 2,
      message: 'the query was refused: column "nonsense" does not exist',
    });
    await expect(ask('  ')).rejects.toMatchObject({ type: 'usage' });
  });

  test.each([
    ['select * from rusn', 'Did you mean runs? Tables and views: '],
    ['select * from public.rusn', 'Did you mean runs? Tables and views: '],
    ['select rnu_id from runs', 'Did you mean run_id? Columns of runs: run_id, '],
    ['select r.stauts from runs r', 'Did you mean status? Columns of runs: '],
    ['select 1 from', 'Write one SELECT'],
  ])('%s names what it may have meant', async (sql, remedy) => {
    await expect(ask(sql)).rejects.toMatchObject({ remedy: expect.stringContaining(remedy) as string });
    await expect(ask(sql, owner)).rejects.toMatchObject({ remedy: expect.stringContaining(remedy) as string });
  });

  test('that takes too long is ended', async () => {
    await expect(ask('select pg_sleep(100)', superuser, 200)).rejects.toMatchObject({
      type: 'usage',
      message: 'the query ran longer than 0.2 s',
    });
  });

  // A gigabyte in a row, notice or error fits no string of Node: the driver threw, uncaught.
  const length = LONG ? 600_000_000 : 3_000_000;
  test.each([
    ['in one text', `select repeat('x', ${length})`],
    ['in many columns', `select ${Array.from({ length: 300 }, () => `repeat('x', ${length / 300})`).join(', ')}`],
    ['in an array', `select array_agg(repeat('x', 1000)) from generate_series(1, 3000)`],
    ['as JSON', `select jsonb_agg(repeat('x', 1000)) from generate_series(1, 3000)`],
    ['as XML', `select query_to_xml('select repeat(''x'', 3000000)', true, false, '')`],
    ['in many rows', `select repeat('x', 10000) from generate_series(1, 5000)`],
    ['in an error message', `select repeat('x', ${Math.min(length, 500_000_000)})::int`],
    ['in the details of one', `select (repeat('[', 5) || repeat('x', 3000000))::json`],
  ])('that returns too many bytes is refused, and the process lives: %s', async (_, sql) => {
    const asked = runReadOnlyQuery(superuser, sql, { timeoutMs: 60_000, maxBytes: 1024 * 1024 });
    await expect(asked).rejects.toMatchObject({ type: 'usage', code: 'query.too_large' });
    expect((await ask('select 1')).rows).toEqual([[1]]);
    await vi.waitFor(async () => expect(await readersAtWork()).toBe(0), { timeout: 60_000, interval: 50 });
  });

  test('whose error quotes a long value shows its beginning', async () => {
    const refused = await ask(`select repeat('x', 50000)::int`).catch((error: Error) => error.message);
    expect(refused).toMatch(/^the query was refused: invalid input syntax for type integer: "x{800,1000}$/);
  });

  test('that needs too many temporary files is refused, and no fault of the server', async () => {
    await expect(
      ask(
        `select count(*) from (select md5(i::text), repeat(md5(i::text), 40) as x from generate_series(1, 1500000) i order by 2 offset 1) one`,
        superuser,
        120_000,
      ),
    ).rejects.toMatchObject({ code: 'query.too_large', message: expect.stringContaining('temporary files') as string });
  });

  test('to a server that is not there says so', async () => {
    await expect(ask('select 1', 'postgres://me:s3cret@127.0.0.1:1/x')).rejects.toMatchObject({
      type: 'services',
      message: 'Postgres at 127.0.0.1:1/x does not answer: ECONNREFUSED',
    });
  });
});

const attacks: Record<string, string> = {
  insert: `insert into loot values (1)`,
  update: `update runs set cost_usd = 0`,
  delete: `delete from runs`,
  drop: `drop table loot`,
  truncate: `truncate loot`,
  'create table': `create table loot2 (x int)`,
  'a temporary table': `create temp table loot2 (x int)`,
  'select into': `select 1 as x into loot2`,
  'a writing WITH': `with w as (insert into loot values (1) returning x) select * from w`,
  'a locking select': `select * from runs for update`,
  'a writing function': `select sneaky()`,
  'a writing function of the superuser': `select powerful()`,
  'a second statement': `select 1; insert into loot values (1)`,
  'commit first': `commit; insert into loot values (1)`,
  'select, commit, write': `select 1; commit; insert into loot values (1)`,
  rollback: `rollback`,
  'set role': `set role postgres`,
  'reset role': `reset role`,
  'set session authorization': `set session authorization postgres`,
  'set transaction read write': `set transaction read write`,
  'set transaction read write by a function': `select set_config('transaction_read_only', 'off', true), sneaky()`,
  'begin read write': `begin read write`,
  do: `do $$ begin insert into loot values (1); end $$`,
  'do, having become the superuser': `do $$ begin reset role; set transaction read write; insert into loot values (1); end $$`,
  call: `call sneaky()`,
  'copy to program': `copy (select 1) to program 'touch ${MARK}'`,
  'copy to file': `copy (select 1) to '${MARK}'`,
  'copy from program': `copy loot from program 'touch ${MARK}; echo 1'`,
  'copy to stdout': `copy runs to stdout`,
  'explain analyze of a write': `explain analyze insert into loot values (1)`,
  prepare: `prepare p as insert into loot values (1)`,
  listen: `listen x`,
  notify: `notify x, 'y'`,
  'a notification by a function': `select pg_notify('x', 'y')`,
  'an advisory lock': `select pg_advisory_lock(7236181640)`,
  'one for the transaction': `select pg_advisory_xact_lock_shared(1, 2)`,
  'an advisory lock, if it is free': `select 1 limit (pg_catalog . "pg_try_advisory_lock"(1))::int`,
  'one in a list of values': `values (pg_try_advisory_lock(1)), (true)`,
  'one in escapes': `select U&"pg\\005fadvisory_lock"(1)`,
  'one in a text': `select query_to_xml('select pg_adv' || 'isory_lock(1)', true, false, '')`,
  'one in a text of words': `select * from ts_stat('select pg_adv' || 'isory_lock(1)::text::tsvector')`,
  lock: `lock table runs`,
  vacuum: `vacuum`,
  'alter system': `alter system set fsync = off`,
  'a large object': `select lo_create(4711)`,
  'one with content': `select lo_from_bytea(0, decode(repeat('00', 100000), 'hex'))`,
  'a message into the log of changes': `select pg_logical_emit_message(false, 'x', repeat('x', 1000))`,
  'the same in a text': `select query_to_xml('select pg_logical_' || 'emit_message(true, ''x'', ''x'')', true, false, '')`,
  'files of snapshots': `select pg_export_snapshot() from generate_series(1, 3)`,
  'a longer time limit': `select set_config('statement_timeout', '0', false)`,
  'a larger file limit': `select set_config('temp_file_limit', '-1', false)`,
  'a sequence': `select nextval('events_event_id_seq')`,
  'text after the cursor': `select 1) ; insert into loot values (1`,
};
/** Needs to be no superuser: where the user is an ordinary one, it may read what it may read. */
const superuserAttacks: Record<string, string> = {
  'reading a file of the server': `select pg_read_file('/etc/passwd')`,
  'listing its files': `select pg_ls_dir('.')`,
  'reading passwords': `select rolpassword from pg_authid`,
  'becoming the superuser by set_config': `select set_config('role', 'postgres', false)`,
  'the same with none': `select set_config('role', 'none', false)`,
  'the same by pg_settings': `select query_to_xml('update pg_settings set setting = ''none'' where name = ''role''', true, false, '')`,
  'becoming the superuser, then acting': `select set_config('role', 'none', false), query_to_xml($x$ select lo_export(1, '${MARK}') $x$, true, false, '')`,
  'the same in hidden words': `select query_to_xml('select set_' || 'config(''role'',''none'',false), pg_read_file(''/etc/passwd'')', true, false, '')`,
  'an export to a file': `select lo_export(1, '${MARK}')`,
  'ending other sessions': `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'postgres' and pid <> pg_backend_pid()`,
  'loading the configuration': `select pg_reload_conf()`,
  'migrations’ own tables': `select * from drizzle.__drizzle_migrations, drizzle.sql_objects`,
};

async function untouched(): Promise<unknown> {
  const client = new pg.Client({ connectionString: superuser });
  await client.connect();
  try {
    const { rows } = await client.query<{ state: unknown }>(`select jsonb_build_object(
      'loot', (select count(*) from loot), 'runs', (select count(*) from runs), 'cost', (select sum(cost_usd) from runs),
      'locks', (select count(*) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())),
      'relations', (select count(*) from pg_class where relkind in ('r', 'v', 'S')),
      'objects', (select count(*) from pg_largeobject_metadata)) as state`);
    return [rows[0]?.state, existsSync(MARK)];
  } finally {
    await client.end();
  }
}

describe.each([
  ['a superuser', () => superuser, { ...attacks, ...superuserAttacks }],
  ['an ordinary user', () => owner, attacks],
] as const)('under %s', (_, url, list) => {
  test.each(Object.entries(list))('%s is refused, and changes nothing', async (_name, sql) => {
    const before = await untouched();
    await expect(ask(sql, url())).rejects.toMatchObject({ name: 'BenchError', type: 'usage' });
    expect(await untouched()).toEqual(before);
    // The sessions of the superuser, this pool among them, live on.
    expect((await db.pool.query('select 1')).rowCount).toBe(1);
  });
});

test('under a superuser whose server has no reader yet, the reader is made', async () => {
  const url = await server.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('grant execute on function pg_catalog.set_config(text, text, boolean) to public');
  await client.end();
  await expect(ask(`select set_config('role', 'none', false)`, url)).rejects.toMatchObject({ type: 'usage' });
});
