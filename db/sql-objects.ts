import type pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { errorFields } from './database-error.js';
import { type SqlSource, type SqlVersion, versionOf } from './sql-sources.js';

/** One row: the version of db/sql's objects, and statements that drop them. */
export const SQL_OBJECTS = 'drizzle.sql_objects';

const TABLE = `create table if not exists ${SQL_OBJECTS} (
  version integer not null,
  hash text not null,
  drops text[] not null,
  created_at timestamp with time zone not null default now()
)`;

/** Drops each trigger, view, function and type of this transaction, dependants first. */
const DROPS = `
  with here as (select current_schema()::regnamespace::oid as id, pg_current_xact_id()::xid as ours)
  select s.statement from (
    select 0 as turn, format('drop trigger %I on %s', t.tgname, t.tgrelid::regclass) as statement
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = (select id from here) and not t.tgisinternal and t.xmin = (select ours from here)
    union all
    select 1, format('drop view %s', c.oid::regclass)
    from pg_class c
    where c.relnamespace = (select id from here) and c.relkind = 'v' and c.xmin = (select ours from here)
    union all
    select 2, format('drop function %s', p.oid::regprocedure)
    from pg_proc p
    where p.pronamespace = (select id from here) and p.prokind = 'f' and p.xmin = (select ours from here)
    union all
    select 3, format('drop type %s', c.oid::regclass)
    from pg_class c
    where c.relnamespace = (select id from here) and c.relkind = 'c' and c.xmin = (select ours from here)
  ) s order by s.turn`;

/** Undefined: never created. The table exists. */
export async function storedSql(client: pg.ClientBase): Promise<SqlVersion | undefined> {
  const { rows } = await client.query<SqlVersion>(`select version, hash from ${SQL_OBJECTS}`);
  return rows[0];
}

/** Call before tables change, since views depend on columns. Returns whether there were any. */
export async function dropObjects(client: pg.ClientBase): Promise<boolean> {
  await client.query(TABLE);
  const { rows } = await client.query<{ drops: string[] }>(`delete from ${SQL_OBJECTS} returning drops`);
  const statements = rows.flatMap(({ drops }) => drops);
  if (statements.length > 0) await client.query(statements.join(';\n')).catch(refuseDependents);
  return rows.length > 0;
}

export async function createObjects(client: pg.ClientBase, sources: readonly SqlSource[]): Promise<void> {
  const { version, hash } = versionOf(sources);
  // A test checks the bodies; planning them takes a sixth of the time of a new home's schema.
  await client.query(`set local check_function_bodies = off;\n${sources.map(({ text }) => text).join('\n')}`);
  // Only our objects are dropped later, not those that users add.
  await client.query(`insert into ${SQL_OBJECTS} (version, hash, drops) values ($1, $2, array(${DROPS}))`, [
    version,
    hash,
  ]);
}

export async function refreshDerived(client: pg.ClientBase): Promise<void> {
  await client.query('select refresh_run_results()');
  await client.query(
    `select flag_integrity(array(
       select run_id from runs where status = 'ended' and integrity_version is distinct from integrity_rules_version()))`,
  );
}

function refuseDependents(error: unknown): never {
  if (errorFields(error).code !== '2BP01') throw error;
  throw new BenchError(
    'usage',
    `one of your own objects depends on a view or function that changes (${errorFields(error).message})`,
    {
      remedy: 'Drop it, run `bench db migrate`, and create it again.',
    },
  );
}
