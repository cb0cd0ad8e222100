import type pg from 'pg';
import { HIDDEN_TABLES } from './hidden-tables.js';

/** `bench sql` reads as this role, which can only select from our tables and views. */
export const READER_ROLE = 'bench_reader';

/**
 * Functions open to all whose effect outlasts a SELECT: they change settings and so the role, block
 * other sessions, or fill the disk.
 */
const LASTING =
  'set_config|pg_(try_)?advisory_.*|pg_notify|pg_logical_emit_message|pg_export_snapshot|' +
  'lo_(creat|create|from_bytea|put|truncate|truncate64|unlink)|lowrite';

/** Functions of `LASTING` that a role may call, as a query of `pg_proc p`. */
const callable = (role: string): string =>
  `from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^(${LASTING})$'
   and has_function_privilege(${role}, p.oid, 'execute')`;

/** SQL: may the role (an expression) call none of them? */
export const onlyReads = (role: string): string => `not exists (select ${callable(role)})`;

/** Revokes them from all but roles that write rows anyway. Part of a superuser's `do` block. */
const KEEP_FROM_READERS = `
  for lasting in select p.oid::regprocedure ${callable(`'public'`)} loop
    execute format('revoke execute on function %s from public', lasting);
    for writer in select rolname from pg_roles
      where not rolsuper and rolname !~ '^pg_'
        and has_table_privilege(oid, to_regclass(format('%I.runs', current_schema())), 'insert')
    loop
      execute format('grant execute on function %s to %I', lasting, writer);
    end loop;
  end loop;`;

/** Grants them to a writing role. Part of a superuser's `do` block, with the variable `lasting`. */
export const keepForWriters = (role: string): string => `
  for lasting in select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^(${LASTING})$' loop
    execute format('grant execute on function %s to ${role}', lasting);
  end loop;`;

/** Names of these functions, of others that run texts as queries, and of disguises. */
const NAMES = new RegExp(
  `\\b(?:${LASTING.replaceAll('.*', '\\w*')})\\b|\\w*_to_xml\\w*|ts_stat|ts_rewrite|dblink\\w*|crosstab\\w*|connectby|xpath_table|u&\\s*"`,
  'i',
);

/** For managed servers, which do not let privileges be revoked. */
export const lastingCall = (sql: string): string | null => NAMES.exec(sql)?.[0] ?? null;

/**
 * Creates the role, if this user may, to read our tables. A superuser also revokes the lasting
 * functions: with set_config a SELECT could become the superuser again.
 */
export async function ensureReaderRole(client: pg.ClientBase): Promise<void> {
  await client.query(`do $$
    declare
      relations text;
      lasting regprocedure;
      writer name;
    begin
      if not exists (select from pg_roles where rolname = '${READER_ROLE}') then
        begin
          create role ${READER_ROLE} nologin;
        exception
          when insufficient_privilege then return;
          when duplicate_object or unique_violation then null; -- another database of this server was faster
        end;
      end if;
      begin
        if not pg_has_role(current_user, '${READER_ROLE}', 'member') then
          execute format('grant ${READER_ROLE} to %I', current_user);
        end if;
        execute format('grant usage on schema %I to ${READER_ROLE}', current_schema());
        select string_agg(c.oid::regclass::text, ', ') into relations from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v')
          and c.relname <> all (array['${HIDDEN_TABLES.join("', '")}'])
          and pg_has_role(current_user, c.relowner, 'usage');
        if relations is not null then
          execute 'grant select on ' || relations || ' to ${READER_ROLE}';
        end if;
        if (select rolsuper from pg_roles where rolname = current_user) then${KEEP_FROM_READERS}
        end if;
      exception when insufficient_privilege then null;
      end;
    end
  $$`);
}
