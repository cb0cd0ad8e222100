import { z } from 'zod';

const comment = z.string().nullable();

const schemaColumnSchema = z
  .strictObject({ name: z.string(), type: z.string(), nullable: z.boolean(), comment })
  .meta({ id: 'SchemaColumn' });

const relationSchema = z
  .strictObject({
    name: z.string(),
    kind: z.enum(['table', 'view']),
    comment,
    rows: z.number().nullable().describe('about; null: a view, or not counted yet'),
    columns: z.array(schemaColumnSchema),
  })
  .meta({ id: 'Relation' });

/** What a query may read: tables and views, functions, and queries to start from. */
export const databaseSchemaSchema = z
  .strictObject({
    relations: z.array(relationSchema),
    functions: z.array(
      z
        .strictObject({ name: z.string(), arguments: z.string(), returns: z.string(), comment })
        .meta({ id: 'SqlFunction' }),
    ),
    examples: z.array(z.strictObject({ title: z.string(), sql: z.string() })),
  })
  .meta({ id: 'DatabaseSchema' });
export type DatabaseSchema = z.infer<typeof databaseSchemaSchema>;
