import type pg from 'pg';
import { BenchError } from '../../../domain/errors.js';
import { storeError } from '../../database-error.js';
import { inTransaction } from '../../in-transaction.js';

/** With the errors of single statements. */
export async function transaction<T>(
  pool: pg.Pool,
  operation: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  try {
    return await inTransaction(pool, work);
  } catch (error) {
    throw error instanceof BenchError ? error : storeError(operation, error);
  }
}
