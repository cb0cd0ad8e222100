export interface ReadOnlyResult {
  columns: string[];
  /** Values in column order. */
  rows: unknown[][];
  /** There were more rows than maxRows. */
  truncated: boolean;
}

/** Run one SELECT that can change nothing. What PostgreSQL refuses becomes a BenchError of type usage. */
export async function runReadOnlyQuery(
  _databaseUrl: string,
  _sql: string,
  _options: { timeoutMs: number; maxRows?: number | undefined },
): Promise<ReadOnlyResult> {
  throw new Error('not yet');
}
