import pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { connectionSettings, describeDatabase } from './connection-settings.js';
import { connectionError, errorFields, isInfrastructureProblem } from './database-error.js';
import { APP_ROLE } from './key-roles.js';
import { ensureReaderRole, READER_ROLE } from './reader-role.js';

export interface ReaderLogin {
  name: string;
  password: string;
}

/** Sessions of one login at once, each with its own temporary files. */
const SESSIONS = 16;
/** Set by a superuser they bind readers; otherwise they are defaults. */
const SETTINGS = [
  'default_transaction_read_only = on',
  `idle_in_transaction_session_timeout = '1h'`,
  `temp_file_limit = '1GB'`,
  'log_min_messages = fatal',
  'log_min_error_statement = panic',
];

/** Makes the user if needed: may only select, without temporary tables. Throws BenchError. */
export async function readerUrl(databaseUrl: string, adminUrl: string, login: ReaderLogin): Promise<string> {
  const url = new URL(databaseUrl);
  [url.username, url.password] = [login.name, login.password];
  // The owner's certificate.
  for (const name of ['user', 'password', 'sslcert', 'sslkey', 'options']) url.searchParams.delete(name);
  if (await admits(url.href)) return url.href;
  await makeLogin(adminUrl, login);
  if (await admits(url.href)) return url.href;
  throw new BenchError('services', `${describeDatabase(databaseUrl)} does not let its user ${login.name} log in`, {
    code: 'database.access_denied',
    remedy:
      'Let it log in by password in pg_hba.conf; or use the owner address of `bench db url`, which may change everything.',
  });
}

async function admits(url: string): Promise<boolean> {
  const client = new pg.Client(connectionSettings(url));
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ reads: boolean }>(
      `select pg_has_role(current_user, '${READER_ROLE}', 'usage') as reads`,
    );
    return rows[0]?.reads === true;
  } catch (error) {
    if (isInfrastructureProblem(error)) throw connectionError(describeDatabase(url), error);
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function makeLogin(adminUrl: string, { name, password }: ReaderLogin): Promise<void> {
  const where = describeDatabase(adminUrl);
  const client = new pg.Client(connectionSettings(adminUrl));
  client.on('error', () => undefined);
  const [user, secret] = [client.escapeIdentifier(name), client.escapeLiteral(password)];
  try {
    await client.connect();
    await ensureReaderRole(client);
    await client.query('begin');
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
    await client.query(
      `${rowCount === 0 ? 'create' : 'alter'} role ${user} login connection limit ${SESSIONS} password ${secret}`,
    );
    await client.query(`grant ${READER_ROLE} to ${user}`);
    await client.query(KEEP_TEMPORARY_TABLES);
    for (const setting of SETTINGS)
      await client.query(
        `do $$ begin alter role ${user} set ${setting}; exception when insufficient_privilege then null; end $$`,
      );
    await client.query('commit');
  } catch (error) {
    const { code, message } = errorFields(error);
    if (code === '42501')
      throw new BenchError('services', `this user may not make a user that only reads at ${where} (${message})`, {
        code: 'database.access_denied',
        remedy:
          'Set BENCH_OWNER_DATABASE_URL to a user with CREATEROLE; or use the owner address of `bench db url`, which may change everything.',
      });
    throw connectionError(where, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** All users may make temporary tables, which no role's limit bounds; imports need them. */
const KEEP_TEMPORARY_TABLES = `do $$
  declare
    writer name;
  begin
    for writer in select rolname from pg_roles
      where not rolsuper and rolname !~ '^pg_'
        and has_table_privilege(oid, to_regclass(format('%I.runs', current_schema())), 'insert')
    loop
      execute format('grant temporary on database %I to %I', current_database(), writer);
    end loop;
    if exists (select from pg_roles where rolname = '${APP_ROLE}') then
      execute format('grant temporary on database %I to ${APP_ROLE}', current_database());
    end if;
    execute format('revoke temporary on database %I from public', current_database());
    execute format('revoke create on schema %I from public', current_schema());
  end
$$`;
