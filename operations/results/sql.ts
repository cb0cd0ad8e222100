import type { ReadOnlyResult } from '../../db/index.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type SqlRequest, sqlRequestSchema } from '../../domain/requests/reading.js';
import type { Bench } from '../bench.js';

/** Runs one SELECT, which can change nothing. BenchError (usage): it is no such query, or fails. */
export async function sql(bench: Bench, query: string, request: SqlRequest = {}): Promise<ReadOnlyResult> {
  const { timeout, maxRows } = checkedRequest(sqlRequestSchema, request);
  await bench.database();
  const { databaseUrl } = await bench.services();
  const { runReadOnlyQuery } = await import('../../db/index.js');
  return runReadOnlyQuery(databaseUrl, query, { timeoutMs: timeout * 1000, maxRows });
}
