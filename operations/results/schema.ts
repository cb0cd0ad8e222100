import { EXAMPLE_QUERIES } from '../../domain/example-queries.js';
import type { DatabaseSchema } from '../../domain/views/schema.js';
import type { Bench } from '../bench.js';

/** What a query of `sql` may read, and queries to start from. */
export async function databaseSchema(bench: Pick<Bench, 'database'>): Promise<DatabaseSchema> {
  const { pages } = await bench.database();
  return { ...(await pages.databaseSchema()), examples: [...EXAMPLE_QUERIES] };
}
