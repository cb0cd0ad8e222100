import type pg from 'pg';
import { HIDDEN_TABLES } from './hidden-tables.js';

/** The role under which `bench sql` reads. It can select from our tables and views, and nothing else. */
export const READER_ROLE = 'bench_reader';

/**
 * Functions of PostgreSQL that everybody may call and whose effect outlasts a SELECT: they change settings and so the role, block
 * other sessions, or fill the disk with messages, files or large objects.
 */
const LASTING =
  'set_config|pg_(try_)?advisory_.*|pg_notify|pg_logical_emit_message|pg_export_snapshot|' +
  'lo_(creat|create|from_bytea|put|truncate|truncate64|unlink)|lowrite';

/** The functions of `LASTING` that a role may call, as a query of `pg_proc p`. */
const callable = (role: string): string =>
  `from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^(${LASTING})$'
   and has_function_privilege(${role}, p.oid, 'execute')`;

/** May the role, an expression of SQL, call no function of lasting effect? An expression too. */
export const onlyReads = (role: string): string => `not exists (select ${callable(role)})`;

/**
 * Takes the functions of lasting effect from everybody but those who may write rows anyway. For a `do` block of a superuser, who
 * alone may.
 */
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

/** Lets a role of writers call the functions of lasting effect. For a `do` block of a superuser, with the variable `lasting`. */
export const keepForWriters = (role: string): string => `
  for lasting in select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^(${LASTING})$' loop
    execute format('grant execute on function %s to ${role}', lasting);
  end loop;`;

/** The names of those functions in a text, of functions that run a text as a query, and of identifiers that could hide a name. */
const NAMES = new RegExp(
  `\\b(?:${LASTING.replaceAll('.*', '\\w*')})\\b|\\w*_to_xml\\w*|ts_stat|ts_rewrite|dblink\\w*|crosstab\\w*|connectby|xpath_table|u&\\s*"`,
  'i',
);

/** The name by which a query would call such a function; for servers that let no privilege be taken, as managed ones do. */
export const lastingCall = (sql: string): string | null => NAMES.exec(sql)?.[0] ?? null;

/**
 * Create the role, if this user may, and let it read all our tables. A superuser also takes from it, and so from everybody, the
 * functions whose effect outlasts a SELECT: with set_config, for one, a SELECT could become the superuser again.
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
