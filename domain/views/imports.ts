import { z } from 'zod';
import { batchIdSchema, countSchema, runIdSchema } from './values.js';

const remarkSchema = z
  .strictObject({
    source: z.string(),
    file: z.string().nullable(),
    key: z.string().describe('where in the file, as `trajectory[3].observation`; empty: as a whole'),
    level: z.enum(['warning', 'error']),
    kind: z.string(),
    message: z.string(),
  })
  .meta({ id: 'Remark', description: 'What an import had to say.' });
/** Something that a person should know of what was imported, or why it was not. */
export type Remark = z.infer<typeof remarkSchema>;

const importResultSchema = z
  .strictObject({
    source: z.string().describe("the run directory's name, or the run's id"),
    outcome: z.enum(['imported', 'existing', 'changed', 'failed']),
    runId: runIdSchema.nullable(),
    steps: countSchema,
    remarks: z.array(remarkSchema),
  })
  .meta({ id: 'ImportResult' });
export type DirectoryResult = z.infer<typeof importResultSchema>;

export const importDocumentSchema = z
  .strictObject({
    batch: z.string(),
    dryRun: z.boolean(),
    directories: countSchema.describe('found; of a file of lines: runs'),
    imported: countSchema,
    existing: countSchema.describe('here already'),
    changed: countSchema.describe('here already, with other content'),
    failed: countSchema.describe('skipped'),
    notReached: countSchema.describe('not read: Ctrl-C came first'),
    steps: countSchema,
    results: z.array(importResultSchema),
  })
  .meta({ id: 'Import' });
export type ImportDocument = z.infer<typeof importDocumentSchema>;

export const exportDocumentSchema = z.strictObject({
  batchId: batchIdSchema,
  format: z.enum(['jsonl', 'atif', 'inspect']),
  runs: countSchema,
  output: z.string(),
});
export type ExportDocument = z.infer<typeof exportDocumentSchema>;
