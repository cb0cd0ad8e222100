import { EXAMPLE_QUERIES } from '../../domain/results/example-queries.js';
import type { SchemaPages } from '../../domain/ports/reading/schema-pages.js';
import type { DatabaseSchema } from '../../domain/views/schema.js';

export async function databaseSchema({ pages }: { pages: SchemaPages }): Promise<DatabaseSchema> {
  return { ...(await pages.databaseSchema()), examples: [...EXAMPLE_QUERIES] };
}
