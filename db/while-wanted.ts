import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { errorFields } from './database-error.js';

const CANCELLED = '57014';
const wanted = new AsyncLocalStorage<AbortSignal>();

/** Aborting ends this work's reads in PostgreSQL. Not for writes, which would be half done. */
export const whileWanted = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => wanted.run(signal, work);

/** The caller has gone: neither its own fault nor the database's. */
export const unwanted = (): BenchError =>
  new BenchError('usage', 'the caller no longer waits for the answer', { code: 'query.timed_out' });

const isOver = (signal: AbortSignal): boolean => signal.aborted;

/** On its own connection, as others may be busy; as the user, as a role may not. */
export async function cancelBackend(settings: pg.ClientConfig, client: pg.ClientBase): Promise<void> {
  const { processID } = client as pg.ClientBase & { processID: number };
  const { options: _role, ...own } = settings;
  const other = new pg.Client({ ...own, query_timeout: 10_000 });
  other.on('error', () => undefined);
  try {
    await other.connect();
    await other.query('select pg_cancel_backend($1)', [processID]);
  } finally {
    await other.end().catch(() => undefined);
  }
}

/** Like the pool; within `whileWanted`, until its signal is aborted. */
export async function askWhileWanted(pool: pg.Pool, query: pg.QueryConfig): Promise<pg.QueryResult> {
  const signal = wanted.getStore();
  if (signal === undefined) return pool.query(query);
  if (isOver(signal)) throw unwanted();
  const client = await pool.connect();
  const cancel = (): void => void cancelBackend(pool.options, client).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    if (isOver(signal)) throw unwanted();
    return await client.query(query);
  } catch (error) {
    throw isOver(signal) && errorFields(error).code === CANCELLED ? unwanted() : error;
  } finally {
    signal.removeEventListener('abort', cancel);
    // A late cancellation must not end the connection's next query.
    client.release(isOver(signal));
  }
}
