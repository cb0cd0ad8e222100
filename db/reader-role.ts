import type pg from 'pg';
import { HIDDEN_TABLES } from './hidden-tables.js';

/** The role under which `bench sql` reads. It can select from our tables and views, and nothing else. */
export const READER_ROLE = 'bench_reader';

/**
 * Create the role, if this user may, and let it read all our tables. Under a superuser it also loses set_config, with which a plain
 * SELECT could become the superuser again (`RESET ROLE` cannot be part of a SELECT).
 */
export async function ensureReaderRole(client: pg.ClientBase): Promise<void> {
  await client.query(`do $$
    declare
      relations text;
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
        if (select rolsuper from pg_roles where rolname = current_user) then
          revoke execute on function pg_catalog.set_config(text, text, boolean) from public;
        end if;
      exception when insufficient_privilege then null;
      end;
    end
  $$`);
}
