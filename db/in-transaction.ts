import type pg from 'pg';
import { isRetryable } from './database-error.js';

const MAX_TRIES = 5;

/** Retries deadlocks and similar conflicts. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    let client: pg.PoolClient | undefined;
    let broken = false;
    try {
      client = await pool.connect();
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client?.query('rollback').catch(() => (broken = true));
      if (!isRetryable(error) || tries === MAX_TRIES) throw error;
    } finally {
      client?.release(broken);
    }
  }
}
