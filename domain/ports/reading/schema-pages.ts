import type { DatabaseSchema } from '../../views/schema.js';

export interface SchemaPages {
  databaseSchema(): Promise<Omit<DatabaseSchema, 'examples'>>;
}
