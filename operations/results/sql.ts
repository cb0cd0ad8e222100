import type { ReadOnlyResult } from '../../db/index.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type SqlRequest, sqlRequestSchema } from '../../domain/requests/reading.js';
import type { Bench } from '../bench.js';

/**
 * Runs one SELECT, which can change nothing, until the signal is aborted. BenchError (usage): it is no such query, fails, or returns
 * more than `maxBytes`.
 */
export async function sql(
  bench: Pick<Bench, 'databaseUrl' | 'database'>,
  query: string,
  request: SqlRequest = {},
  signal?: AbortSignal,
  maxBytes?: number,
): Promise<ReadOnlyResult> {
  const { timeout, maxRows } = checkedRequest(sqlRequestSchema, request);
  await bench.database();
  const databaseUrl = await bench.databaseUrl();
  const { runReadOnlyQuery } = await import('../../db/index.js');
  return runReadOnlyQuery(databaseUrl, query, { timeoutMs: timeout * 1000, maxRows, maxBytes, signal });
}
