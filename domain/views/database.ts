import { z } from 'zod';
import { countSchema } from './values.js';

/** `truncated`: there are more rows. */
export const queryResultSchema = z.strictObject({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.unknown())),
  truncated: z.boolean(),
});
export type QueryResult = z.infer<typeof queryResultSchema>;

export const databaseUrlSchema = z.strictObject({ databaseUrl: z.string() });
export type DatabaseUrl = z.infer<typeof databaseUrlSchema>;

export const migrationDocumentSchema = z
  .strictObject({
    applied: countSchema.describe('migrations, now'),
    created: z.boolean().describe('views and functions were recreated'),
    migrations: countSchema.describe('applied in all'),
  })
  .meta({ id: 'Migration' });
export type MigrationDocument = z.infer<typeof migrationDocumentSchema>;

export const databaseRolesSchema = z.strictObject({ worker: z.string(), app: z.string(), reader: z.string() });
export type DatabaseRoles = z.infer<typeof databaseRolesSchema>;
