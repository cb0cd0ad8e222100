import type { DatabaseSchema } from '../../views/schema.js';

/** The schema of the database. */
export interface SchemaPages {
  databaseSchema(): Promise<Omit<DatabaseSchema, 'examples'>>;
}
