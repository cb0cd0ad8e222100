import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { connectionSettings, describeDatabase } from './connection-settings.js';
import { connectionError, errorFields, isInfrastructureProblem, isTlsProblem } from './database-error.js';
import { compareMigrations, knownMigrations, type Migration, MIGRATIONS_FOLDER } from './migration-files.js';
import { ensureReaderRole } from './reader-role.js';

/** Any number, the same for all: who holds it migrates. */
const LOCK = 7_236_181_640;
const LOCK_SECONDS = 120;
const OLDEST_SERVER = 140_000;

/** Bring the database's schema up to this program's; safe when many processes do it at once, quick when it is current. */
export async function migrate(databaseUrl: string): Promise<void> {
  const where = describeDatabase(databaseUrl);
  const client = new pg.Client(connectionSettings(databaseUrl));
  client.on('error', () => undefined); // the query in progress fails with it
  try {
    await client.connect();
    await refuseOldServer(client, where);
    if ((await stateOf(client, where)) === 'current') return;
    await client.query(`set lock_timeout = '${LOCK_SECONDS}s'`);
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    if ((await stateOf(client, where)) === 'current') return;
    await applyMigrations(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER });
    await ensureReaderRole(client);
  } catch (error) {
    throw migrationError(where, error);
  } finally {
    await client.end().catch(() => undefined); // frees the lock
  }
}

/** Whether the schema is this program's, and how many migrations it has; a newer or foreign one is refused. */
export async function schemaState(databaseUrl: string): Promise<{ state: 'current' | 'behind'; applied: number }> {
  const where = describeDatabase(databaseUrl);
  const client = new pg.Client(connectionSettings(databaseUrl));
  client.on('error', () => undefined);
  try {
    await client.connect();
    await refuseOldServer(client, where);
    return { state: await stateOf(client, where), applied: (await appliedMigrations(client)).length };
  } catch (error) {
    throw migrationError(where, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** For workers: they never change the schema, and work on no other than theirs. */
export async function checkSchema(databaseUrl: string): Promise<void> {
  if ((await schemaState(databaseUrl)).state === 'current') return;
  throw new BenchError('usage', `the schema at ${describeDatabase(databaseUrl)} is older than this program`, {
    remedy: 'Run `bench db migrate` with the same version, then start this again.',
  });
}

async function appliedMigrations(client: pg.Client): Promise<Migration[]> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as there`,
  );
  if (rows[0]?.there !== true) return [];
  const applied = await client.query<Migration>(
    `select created_at::float8 as "createdAt", hash from drizzle.__drizzle_migrations order by created_at`,
  );
  return applied.rows;
}

async function stateOf(client: pg.Client, where: string): Promise<'current' | 'behind'> {
  const state = compareMigrations(knownMigrations(), await appliedMigrations(client));
  if (state === 'newer')
    throw new BenchError('usage', `the database at ${where} was made by a newer version of this program`, {
      remedy: 'Update this program, or point DATABASE_URL at another database.',
    });
  if (state === 'foreign')
    throw new BenchError('usage', `the schema at ${where} has another history than this version of the program`, {
      remedy: 'Use the version that made it, or point DATABASE_URL at another database.',
    });
  return state;
}

async function refuseOldServer(client: pg.Client, where: string): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  if ((rows[0]?.version ?? 0) >= OLDEST_SERVER) return;
  throw new BenchError('usage', `the database server at ${where} is older than PostgreSQL ${OLDEST_SERVER / 10_000}`, {
    remedy: 'Point DATABASE_URL at a newer server, or unset it to use the embedded one.',
  });
}

function migrationError(where: string, error: unknown): BenchError {
  if (error instanceof BenchError) return error;
  const { code, message } = errorFields(error);
  if (isInfrastructureProblem(error) || isTlsProblem(error) || ['28P01', '28000', '3D000'].includes(code ?? ''))
    return connectionError(where, error);
  if (code === '42501')
    return new BenchError('services', `this user may not create the schema at ${where} (${message})`, {
      remedy:
        'Run `bench db migrate` with BENCH_ADMIN_DATABASE_URL naming the owner of the database, or grant CREATE on it.',
    });
  if (code === '55P03')
    return new BenchError('services', `another process has been changing the schema at ${where} for ${LOCK_SECONDS} s`);
  if (code === '42P07')
    return new BenchError('usage', `the database at ${where} holds tables of other programs (${message})`, {
      remedy: 'Point DATABASE_URL at a database of its own.',
    });
  // Migrations hold no data of users: the server's message is safe to show.
  return new BenchError('failed', `the schema at ${where} could not be brought up to date: ${message}`, {
    cause: error,
  });
}
