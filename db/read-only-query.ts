import pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { formatBytes } from '../domain/text/format.js';
import { boundedClient, TooManyBytes } from './bounded-client.js';
import { connectionSettings, describeDatabase } from './connection-settings.js';
import { connectionError, errorFields, isInfrastructureProblem } from './database-error.js';
import { nearNames } from './near-names.js';
import { ensureReaderRole, lastingCall, onlyReads, READER_ROLE } from './reader-role.js';
import { cancelBackend, unwanted } from './while-wanted.js';

export interface ReadOnlyResult {
  columns: string[];
  /** In column order; 64-bit integers are numbers if they fit, else strings, as is numeric. */
  rows: unknown[][];
  truncated: boolean;
}

const MAX_ROWS = 100_000;
const ROWS_PER_FETCH = 5_000;
const SELECT_ONLY =
  'Write one SELECT (or WITH … SELECT, VALUES, TABLE). To change data, use psql with the owner address of `bench db url`.';

/** What a query's result may send. JSON is at most six times longer, still a Node string. */
const MOST_BYTES = 64 * 1024 * 1024;
const TEMPORARY_FILES = '1GB';
/** A server's message quotes the refused value. */
const MESSAGE_CHARS = 1000;

export interface ReadOnlyOptions {
  timeoutMs: number;
  maxRows?: number | undefined;
  /** Of all rows, before they are decoded. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Runs one SELECT that can change nothing: as a cursor's query, over a protocol for single
 * statements; in a transaction that cannot become writable; as a role that may only select, and
 * stays so (see reader-role). Time, temporary files and bytes are bounded. Aborting ends it in
 * PostgreSQL.
 */
export async function runReadOnlyQuery(
  databaseUrl: string,
  sql: string,
  options: ReadOnlyOptions,
): Promise<ReadOnlyResult> {
  const where = describeDatabase(databaseUrl);
  if (sql.trim() === '')
    throw new BenchError('usage', 'an empty query', { code: 'query.rejected', remedy: SELECT_ONLY });
  const { signal, maxBytes = MOST_BYTES } = options;
  if (isOver(signal)) throw unwanted();
  const settings = connectionSettings(databaseUrl);
  const client = boundedClient({ ...settings, query_timeout: options.timeoutMs + 10_000 }, maxBytes);
  client.on('error', () => undefined);
  const cancel = (): Promise<void> => cancelBackend(settings, client).catch(() => undefined);
  const leave = (): void => void cancel();
  try {
    await client.connect();
    await enter(client, where, options.timeoutMs);
    await refuseLastingCalls(client, sql);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error instanceof BenchError ? error : connectionError(where, error);
  }
  signal?.addEventListener('abort', leave);
  try {
    if (isOver(signal)) throw unwanted();
    return await readAll(client, sql, options.maxRows ?? MAX_ROWS);
  } catch (error) {
    // An error of ours: stop the server's useless work.
    if (errorFields(error).code === undefined) await cancel();
    if (isOver(signal)) throw unwanted();
    if (error instanceof TooManyBytes) throw tooLarge(`returns more than ${formatBytes(maxBytes)}`);
    throw refusal(where, options.timeoutMs, error, await nearNames(client, sql, error));
  } finally {
    signal?.removeEventListener('abort', leave);
    await client.end().catch(() => undefined); // ends the transaction too
  }
}

const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

async function enter(client: pg.Client, where: string, timeoutMs: number): Promise<void> {
  if (!(await readerIsSafe(client))) {
    await ensureReaderRole(client).catch(() => undefined);
    if (!(await readerIsSafe(client)))
      throw new BenchError('services', `cannot keep the superuser of ${where} from writing: no role ${READER_ROLE}`, {
        code: 'database.access_denied',
        remedy: 'Use a DATABASE_URL with a user that is not a superuser.',
      });
  }
  await client.query('begin transaction isolation level repeatable read, read only');
  await client.query(`set local statement_timeout = ${Math.max(1, Math.floor(timeoutMs))}`);
  await client.query(`set local idle_in_transaction_session_timeout = ${Math.floor(timeoutMs) + 10_000}`);
  await client.query(SERVER_LIMITS);
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

/**
 * Only superusers may set these, so no reader can lift them. No log: error messages may be as long
 * as a row, and the log shares the disk.
 */
const SERVER_LIMITS = [
  `temp_file_limit = '${TEMPORARY_FILES}'`,
  'log_min_messages = fatal',
  'log_min_error_statement = panic',
]
  .map((limit) => `do $$ begin set local ${limit}; exception when insufficient_privilege then null; end $$`)
  .join(';');

/** A read-only transaction does not stop a superuser, who can read and write the server's files. */
async function readerIsSafe(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ safe: boolean }>(
    `select not me.rolsuper or coalesce(
       (select not reader.rolsuper and ${onlyReads('reader.oid')} from pg_roles reader where reader.rolname = $1),
       false) as safe
     from pg_roles me where me.rolname = current_user`,
    [READER_ROLE],
  );
  return rows[0]?.safe === true;
}

/** Ordinary owners, as on managed servers, cannot revoke these functions: search the query. */
async function refuseLastingCalls(client: pg.Client, sql: string): Promise<void> {
  const call = lastingCall(sql);
  if (call === null) return;
  const { rows } = await client.query<{ safe: boolean }>(`select ${onlyReads('current_user')} as safe`);
  if (rows[0]?.safe === true) return;
  throw new BenchError('usage', `the query was refused: ${call} is not allowed in a read-only query`, {
    code: 'query.rejected',
    remedy: 'For locks, notifications and dynamic queries, use psql with the owner address of `bench db url`.',
  });
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

const FILES_SPENT = '53400';
const OUT_OF_MEMORY = '53200';

const tooLarge = (what: string): BenchError =>
  new BenchError('usage', `the query ${what}`, {
    code: 'query.too_large',
    remedy: 'Select fewer rows or columns, or parts of long texts; for more, use psql "$(bench db url)".',
  });

function refusal(where: string, timeoutMs: number, error: unknown, near: string | null): BenchError {
  if (error instanceof BenchError) return error;
  const { code, message } = errorFields(error);
  if (code === '57014')
    return new BenchError('usage', `the query ran longer than ${timeoutMs / 1000} s`, {
      code: 'query.timed_out',
      remedy: 'Narrow it down, or allow it more time.',
    });
  if (code === FILES_SPENT) return tooLarge(`needs more than ${TEMPORARY_FILES} of temporary files`);
  if (code === OUT_OF_MEMORY) return tooLarge('needs more memory than the server has');
  if (isInfrastructureProblem(error)) return connectionError(where, error);
  // The query is the caller's own: what the server says of it may be shown.
  return new BenchError('usage', `the query was refused: ${message.slice(0, MESSAGE_CHARS)}`, {
    code: 'query.rejected',
    remedy: near ?? SELECT_ONLY,
  });
}
