import { BenchError } from '../../../domain/errors.js';
import type { Bench } from '../../../operations/bench.js';
import { databaseSchema } from '../../../operations/results/schema.js';
import { sql } from '../../../operations/results/sql.js';
import type { Handler } from '../call.js';

const AT_ONCE = 2;
/** An answer is sent as a whole, and the server has others to serve meanwhile. */
const MOST_BYTES = 8 * 1024 * 1024;

export function sqlHandlers(bench: Bench): Record<string, Handler> {
  let running = 0;
  return {
    sqlSchema: () => databaseSchema(bench),
    sql: async ({ body, signal }) => {
      if (running >= AT_ONCE)
        throw new BenchError('usage', `${AT_ONCE} queries are already running`, {
          code: 'requests.too_many',
          remedy: 'Wait for one of them, or cancel it.',
        });
      const { query, timeout, maxRows } = body as { query: string; timeout: number; maxRows: number };
      running++;
      try {
        return await sql(bench, query, { timeout, maxRows }, signal, MOST_BYTES);
      } finally {
        running--;
      }
    },
  };
}
