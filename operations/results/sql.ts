import type { ReadOnlyResult } from '../../db/index.js';
import type { Bench } from '../bench.js';

/** Runs one SELECT, which can change nothing. BenchError (usage): it is no such query, or fails. */
export async function sql(
  bench: Bench,
  query: string,
  limits: { timeoutMs: number; maxRows?: number | undefined } = { timeoutMs: 60_000 },
): Promise<ReadOnlyResult> {
  await bench.database();
  const { databaseUrl } = await bench.services();
  const { runReadOnlyQuery } = await import('../../db/index.js');
  return runReadOnlyQuery(databaseUrl, query, limits);
}
