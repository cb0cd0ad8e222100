import pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { connectionSettings, describeDatabase } from './connection-settings.js';
import { connectionError, errorFields, isInfrastructureProblem, isTlsProblem } from './database-error.js';
import { APP_ROLE, guardKeys, WORKER_ROLE } from './key-roles.js';
import { ensureReaderRole, keepForWriters, READER_ROLE } from './reader-role.js';

/** With grants on present and future objects. Call as the schema's owner. Idempotent. */
export async function ensureRoles(adminUrl: string): Promise<{ worker: string; app: string; reader: string }> {
  const where = describeDatabase(adminUrl);
  const client = new pg.Client(connectionSettings(adminUrl));
  client.on('error', () => undefined);
  try {
    await client.connect();
    await ensureReaderRole(client);
    await client.query(GRANTS);
    await guardKeys(client);
  } catch (error) {
    const { code, message } = errorFields(error);
    if (code === '42501')
      throw new BenchError('services', `this user may not create the roles at ${where} (${message})`, {
        code: 'database.access_denied',
        remedy: 'Set BENCH_OWNER_DATABASE_URL to a user that owns the schema and has CREATEROLE.',
      });
    if (isInfrastructureProblem(error) || isTlsProblem(error) || ['28P01', '28000', '3D000'].includes(code ?? ''))
      throw connectionError(where, error);
    throw new BenchError('failed', `the roles at ${where} could not be created: ${message}`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
  return { worker: WORKER_ROLE, app: APP_ROLE, reader: READER_ROLE };
}

const GRANTS = `do $$
  declare
    here text := current_schema();
    lasting regprocedure;
  begin
    if not exists (select from pg_roles where rolname = '${APP_ROLE}') then
      begin
        create role ${APP_ROLE} nologin;
      exception when duplicate_object or unique_violation then null; -- another database of this server was faster
      end;
    end if;
    if not exists (select from pg_roles where rolname = '${WORKER_ROLE}') then
      begin
        create role ${WORKER_ROLE} nologin;
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
    -- All that commands may, and the key of the evaluators' seeds.
    grant ${APP_ROLE} to ${WORKER_ROLE};
    execute format('revoke create on schema %I from public', here);
    execute format('grant temporary on database %I to ${APP_ROLE}', current_database());
    execute format('grant usage on schema %I, drizzle to ${APP_ROLE}', here);
    execute format('grant select, insert, update, delete on all tables in schema %I to ${APP_ROLE}', here);
    execute format('grant usage, select on all sequences in schema %I to ${APP_ROLE}', here);
    grant select on all tables in schema drizzle to ${APP_ROLE};
    grant select on all sequences in schema drizzle to ${APP_ROLE};
    -- Locks, notifications, and set_config, with which pg_dump begins: a superuser takes them from everyone else, see reader-role.
    if (select rolsuper from pg_roles where rolname = current_user) then${keepForWriters(APP_ROLE)}
    end if;
    execute format(
      'alter default privileges in schema %I grant select, insert, update, delete on tables to ${APP_ROLE}', here);
    execute format('alter default privileges in schema %I grant usage, select on sequences to ${APP_ROLE}', here);
    -- bench sql reads as the reader.
    if exists (select from pg_roles where rolname = '${READER_ROLE}') then
      grant ${READER_ROLE} to ${APP_ROLE};
    end if;
  end
$$`;
