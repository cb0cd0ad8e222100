import { BenchError } from '../../../domain/errors.js';
import type { SchemaPages } from '../../../domain/ports/reading/schema-pages.js';
import { databaseSchema } from '../../../operations/results/schema.js';
import { sql } from '../../../operations/results/sql.js';
import type { sqlRoutes } from '../../api/sql.js';
import type { Handlers } from '../call.js';

const AT_ONCE = 2;
/** Answers are sent as a whole, and other clients wait. */
const MOST_BYTES = 8 * 1024 * 1024;

interface SqlPorts {
  pages: SchemaPages;
  databaseUrl(): Promise<string>;
}

export function sqlHandlers(ports: SqlPorts): Handlers<typeof sqlRoutes> {
  let running = 0;
  return {
    sqlSchema: () => databaseSchema(ports),
    sql: async ({ body, signal }) => {
      if (running >= AT_ONCE)
        throw new BenchError('usage', `${AT_ONCE} queries are already running`, {
          code: 'requests.too_many',
          remedy: 'Wait for one of them, or cancel it.',
        });
      const { query, timeout, maxRows } = body;
      running++;
      try {
        return await sql(ports, query, { timeout, maxRows }, signal, MOST_BYTES);
      } finally {
        running--;
      }
    },
  };
}
