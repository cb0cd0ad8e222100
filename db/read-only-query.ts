import pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { connectionSettings, describeDatabase } from './connection-settings.js';
import { connectionError, errorFields, isInfrastructureProblem } from './database-error.js';
import { nearNames } from './near-names.js';
import { ensureReaderRole, READER_ROLE } from './reader-role.js';
import { cancelBackend, unwanted } from './while-wanted.js';

export interface ReadOnlyResult {
  columns: string[];
  /** Values in column order; 64-bit integers are numbers where they fit, else strings; numeric is a string. */
  rows: unknown[][];
  /** There were more rows than maxRows. */
  truncated: boolean;
}

const MAX_ROWS = 100_000;
const ROWS_PER_FETCH = 5_000;
const SELECT_ONLY = 'Write one SELECT (or WITH … SELECT, VALUES, TABLE). To change data, use psql "$(bench db url)".';

/**
 * A SELECT may call functions that change no row but affect others: advisory locks, for example, work in a read-only transaction and
 * would block migrations. An ordinary user cannot revoke these from itself, so the query is searched for their names, for functions
 * that run text as a query, and for escaped identifiers, which could hide a name.
 */
const REACHES_OTHERS =
  /pg_(?:try_)?advisory_\w*|pg_notify|\w*_to_xml\w*|ts_stat|ts_rewrite|dblink\w*|crosstab\w*|connectby|xpath_table|u&\s*"/i;

/**
 * Run one SELECT that can change nothing. Three barriers: the text becomes the query of a cursor, which can only be a SELECT, over a
 * protocol that takes one statement; the transaction is read-only and has begun, so it cannot become writable; the role may only
 * select, and cannot become another one (see reader-role). Aborting the signal ends it in PostgreSQL.
 */
export async function runReadOnlyQuery(
  databaseUrl: string,
  sql: string,
  options: { timeoutMs: number; maxRows?: number | undefined; signal?: AbortSignal | undefined },
): Promise<ReadOnlyResult> {
  const where = describeDatabase(databaseUrl);
  if (sql.trim() === '')
    throw new BenchError('usage', 'an empty query', { code: 'query.refused', remedy: SELECT_ONLY });
  const reaching = REACHES_OTHERS.exec(sql)?.[0];
  if (reaching !== undefined)
    throw new BenchError('usage', `the query was refused: ${reaching} is not allowed in a read-only query`, {
      code: 'query.refused',
      remedy: 'For locks, notifications and dynamic queries, use psql "$(bench db url)".',
    });
  const { signal } = options;
  if (isOver(signal)) throw unwanted();
  const settings = connectionSettings(databaseUrl);
  const client = new pg.Client({ ...settings, query_timeout: options.timeoutMs + 10_000 });
  client.on('error', () => undefined);
  const cancel = (): void => void cancelBackend(settings, client).catch(() => undefined);
  try {
    await client.connect();
    await enter(client, where, options.timeoutMs);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error instanceof BenchError ? error : connectionError(where, error);
  }
  signal?.addEventListener('abort', cancel);
  try {
    if (isOver(signal)) throw unwanted();
    return await readAll(client, sql, options.maxRows ?? MAX_ROWS);
  } catch (error) {
    if (isOver(signal)) throw unwanted();
    throw refusal(where, options.timeoutMs, error, await nearNames(client, sql, error));
  } finally {
    signal?.removeEventListener('abort', cancel);
    await client.end().catch(() => undefined); // ends the transaction too
  }
}

const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

async function enter(client: pg.Client, where: string, timeoutMs: number): Promise<void> {
  if (!(await readerIsSafe(client))) {
    await ensureReaderRole(client).catch(() => undefined);
    if (!(await readerIsSafe(client)))
      throw new BenchError('services', `cannot keep the superuser of ${where} from writing: no role ${READER_ROLE}`, {
        code: 'database.refused',
        remedy: 'Use a DATABASE_URL with a user that is not a superuser.',
      });
  }
  await client.query('begin transaction isolation level repeatable read, read only');
  await client.query(`set local statement_timeout = ${Math.max(1, Math.floor(timeoutMs))}`);
  await client.query(`set local idle_in_transaction_session_timeout = ${Math.floor(timeoutMs) + 10_000}`);
  await client.query('savepoint reader');
  try {
    await client.query(`set local role ${READER_ROLE}`);
  } catch {
    // A user without the role reads as itself, in a read-only transaction.
    await client.query('rollback to savepoint reader');
  }
  // After its first snapshot, or inside a savepoint, a transaction can no longer become writable.
  await client.query('select 1');
}

/** A read-only transaction does not stop a superuser, who can read and write the server's files. */
async function readerIsSafe(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ safe: boolean }>(
    `select not me.rolsuper or coalesce(
       (select not reader.rolsuper
          and not has_function_privilege(reader.oid, 'pg_catalog.set_config(text, text, boolean)', 'execute')
        from pg_roles reader where reader.rolname = $1),
       false) as safe
     from pg_roles me where me.rolname = current_user`,
    [READER_ROLE],
  );
  return rows[0]?.safe === true;
}

async function readAll(client: pg.Client, sql: string, maxRows: number): Promise<ReadOnlyResult> {
  // The extended protocol refuses a second statement.
  const declare = { text: `declare bench_query no scroll cursor for ${sql}`, queryMode: 'extended' };
  await client.query(declare as pg.QueryConfig);
  const columns: string[] = [];
  const rows: unknown[][] = [];
  for (;;) {
    const wanted = Math.min(ROWS_PER_FETCH, maxRows + 1 - rows.length);
    const result = await client.query<unknown[]>({
      text: `fetch forward ${wanted} from bench_query`,
      rowMode: 'array',
      types: { getTypeParser: parserOf },
    });
    if (columns.length === 0) columns.push(...result.fields.map((field) => field.name));
    rows.push(...result.rows);
    if (result.rows.length < wanted || rows.length > maxRows) break;
  }
  return { columns, rows: rows.slice(0, maxRows), truncated: rows.length > maxRows };
}

const asNumberIfExact = (text: string): number | string => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
};

const parserOf: pg.CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
  oid === 20 ? asNumberIfExact : (pg.types.getTypeParser(oid, format) as (text: string) => unknown);

function refusal(where: string, timeoutMs: number, error: unknown, near: string | null): BenchError {
  if (error instanceof BenchError) return error;
  const { code, message } = errorFields(error);
  if (code === '57014')
    return new BenchError('usage', `the query ran longer than ${timeoutMs / 1000} s`, {
      code: 'query.too_slow',
      remedy: 'Narrow it down, or allow it more time.',
    });
  if (isInfrastructureProblem(error)) return connectionError(where, error);
  // The query is the caller's own: what the server says of it may be shown.
  return new BenchError('usage', `the query was refused: ${message}`, {
    code: 'query.refused',
    remedy: near ?? SELECT_ONLY,
  });
}
