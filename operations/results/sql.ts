import { checkedRequest } from '../../domain/requests/checked.js';
import { type SqlRequest, sqlRequestSchema } from '../../domain/requests/reading.js';
import type { QueryResult } from '../../domain/views/database.js';

/**
 * Runs one read-only SELECT until the signal is aborted. BenchError (usage): not such a query, it
 * fails, or it returns more than `maxBytes`.
 */
export async function sql(
  bench: { databaseUrl(): Promise<string> },
  query: string,
  request: SqlRequest = {},
  signal?: AbortSignal,
  maxBytes?: number,
): Promise<QueryResult> {
  const { timeout, maxRows } = checkedRequest(sqlRequestSchema, request);
  const databaseUrl = await bench.databaseUrl();
  const { runReadOnlyQuery } = await import('../../db/read-only-query.js');
  return runReadOnlyQuery(databaseUrl, query, { timeoutMs: timeout * 1000, maxRows, maxBytes, signal });
}
