import pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { connectionSettings, describeDatabase } from './connection-settings.js';
import { connectionError, errorFields, isInfrastructureProblem, isRetryable, isTlsProblem } from './database-error.js';
import { guardKeys } from './key-roles.js';
import { compareMigrations, knownMigrations, type Migration, type MigrationFile } from './migration-files.js';
import { ensureReaderRole } from './reader-role.js';
import { createObjects, dropObjects, refreshDerived, SQL_OBJECTS, storedSql } from './sql-objects.js';
import { compareSql, type SqlSource, sqlSources, versionOf } from './sql-sources.js';

const LOCK = 7_236_181_640;
const LOCK_SECONDS = 120;
const OLDEST_SERVER = 140_000;
const MAX_TRIES = 5;

/** Drizzle's name, so that earlier versions see that the database is newer. */
const HISTORY = 'drizzle.__drizzle_migrations';
const HISTORY_TABLE = `
  create schema if not exists drizzle;
  create table if not exists ${HISTORY} (id serial primary key, hash text not null, created_at bigint)`;

/** Migrations applied, and whether views and functions were (re)created. */
export interface Migrated {
  applied: number;
  created: boolean;
}

const NOTHING: Migrated = { applied: 0, created: false };

/** Safe in many processes at once, fast when it is current. */
export async function migrate(databaseUrl: string): Promise<Migrated> {
  const where = describeDatabase(databaseUrl);
  const client = new pg.Client(connectionSettings(databaseUrl));
  client.on('error', () => undefined); // the query in progress fails with it
  try {
    await client.connect();
    const program = readProgram();
    if ((await stateOf(client, where, program)).state === 'current') return NOTHING;
    await client.query(`set lock_timeout = '${LOCK_SECONDS}s'; select pg_advisory_lock(${LOCK})`);
    const { state, applied } = await stateOf(client, where, program);
    if (state === 'current') return NOTHING;
    return await untilNoDeadlock(client, () => bringUpToDate(client, program, applied));
  } catch (error) {
    throw migrationError(where, error);
  } finally {
    await client.end().catch(() => undefined); // frees the lock
  }
}

interface Program {
  migrations: MigrationFile[];
  sources: SqlSource[];
}
const readProgram = (): Program => ({ migrations: knownMigrations(), sources: sqlSources() });

async function bringUpToDate(client: pg.Client, { migrations, sources }: Program, applied: number): Promise<Migrated> {
  await client.query(HISTORY_TABLE);
  const hadObjects = await dropObjects(client);
  const pending = migrations.slice(applied);
  const entered = ({ hash, createdAt }: Migration) =>
    `insert into ${HISTORY} (hash, created_at) values (${client.escapeLiteral(hash)}, ${createdAt})`;
  // In one message: each would wait for its answer.
  const statements = pending.flatMap((migration) => [...migration.statements, entered(migration)]);
  if (statements.length > 0) await client.query(statements.join(';\n'));
  await createObjects(client, sources);
  if (hadObjects) await refreshDerived(client);
  await ensureReaderRole(client);
  await guardKeys(client);
  return { applied: pending.length, created: true };
}

async function untilNoDeadlock<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      await client.query('begin');
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      if (!isRetryable(error) || tries === MAX_TRIES) throw error;
    }
  }
}

/** Throws for a newer or foreign schema. */
export async function schemaState(databaseUrl: string): Promise<SchemaState> {
  const where = describeDatabase(databaseUrl);
  const client = new pg.Client(connectionSettings(databaseUrl));
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await stateOf(client, where, readProgram());
  } catch (error) {
    throw migrationError(where, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** For workers, which never change the schema. Throws unless it is exactly this program's. */
export async function checkSchema(databaseUrl: string): Promise<void> {
  if ((await schemaState(databaseUrl)).state === 'current') return;
  throw new BenchError('usage', `the schema at ${describeDatabase(databaseUrl)} is older than this program`, {
    code: 'database.outdated',
    remedy: 'Run `bench db migrate` with this version, then try again.',
  });
}

interface SchemaState {
  state: 'current' | 'behind';
  applied: number;
}

async function stateOf(client: pg.Client, where: string, { migrations, sources }: Program): Promise<SchemaState> {
  const { rows } = await client.query<{ server: number; history: boolean; objects: boolean }>(
    `select current_setting('server_version_num')::int as server,
       to_regclass('${HISTORY}') is not null as history, to_regclass('${SQL_OBJECTS}') is not null as objects`,
  );
  refuseOldServer(rows[0]?.server ?? 0, where);
  const applied = rows[0]?.history === true ? await appliedMigrations(client) : [];
  const stored = rows[0]?.objects === true ? await storedSql(client) : undefined;
  const history = compareMigrations(migrations, applied);
  if (history === 'before')
    throw new BenchError('usage', `the database at ${where} was made before the first release and cannot be upgraded`, {
      code: 'database.outdated',
      remedy:
        'With the version that made it, export each batch to a file with `bench export <batch>`; then `bench import jsonl <file>` into a new home. See docs/reference/upgrades.md.',
    });
  if (history === 'foreign')
    throw new BenchError('usage', `the schema at ${where} has another history than this version of the program`, {
      code: 'database.unrecognized',
      remedy: 'Use the version that made it, or point DATABASE_URL at another database.',
    });
  const objects = compareSql(versionOf(sources), stored);
  if (history === 'newer' || objects === 'newer')
    throw new BenchError('usage', `the database at ${where} was made by a newer version of this program`, {
      code: 'database.newer',
      remedy: 'Update this program, or point DATABASE_URL at another database.',
    });
  const state = history === 'current' && objects === 'current' ? 'current' : 'behind';
  return { state, applied: applied.length };
}

async function appliedMigrations(client: pg.Client): Promise<Migration[]> {
  const { rows } = await client.query<Migration>(
    `select created_at::float8 as "createdAt", hash from ${HISTORY} order by created_at`,
  );
  return rows;
}

function refuseOldServer(version: number, where: string): void {
  if (version >= OLDEST_SERVER) return;
  throw new BenchError('usage', `the database server at ${where} is older than PostgreSQL ${OLDEST_SERVER / 10_000}`, {
    code: 'database.outdated',
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
      code: 'database.access_denied',
      remedy:
        'Run `bench db migrate` with the URL of the owner of the database in BENCH_OWNER_DATABASE_URL, or grant CREATE on it.',
    });
  if (code === '55P03')
    return new BenchError(
      'services',
      `another process has been changing the schema at ${where} for ${LOCK_SECONDS} s`,
      { code: 'database.unreachable' },
    );
  // A table, a function, or a type or trigger of that name.
  if (code !== undefined && ['42P07', '42723', '42710'].includes(code))
    return new BenchError('usage', `the database at ${where} holds tables of other programs (${message})`, {
      code: 'database.unrecognized',
      remedy: 'Point DATABASE_URL at an empty database.',
    });
  // Migrations contain no user data, so the server's message is safe to show.
  return new BenchError('failed', `the schema at ${where} could not be brought up to date: ${message}`, {
    cause: error,
  });
}
