import { z } from 'zod';
import { batchIdSchema, countSchema, runIdSchema, timeSchema, usdSchema } from './values.js';

export const deletionDocumentSchema = z
  .strictObject({
    deleted: z.boolean().describe('false: a dry run, or not confirmed'),
    batchId: batchIdSchema.nullable().describe('deleted with its runs; null: runs alone'),
    runIds: z.array(runIdSchema).describe('with nodes of search trees'),
    runs: countSchema,
    steps: countSchema,
    modelCalls: countSchema,
    evaluations: countSchema,
    events: countSchema,
    snapshots: countSchema,
    costUsd: usdSchema.describe('what they cost here; the table `deleted_runs` keeps it'),
    files: z
      .strictObject({ removed: countSchema, bytes: countSchema, kept: countSchema })
      .nullable()
      .describe('of the artifact store; kept: others need them, or they are younger than an hour; null: not deleted'),
  })
  .meta({ id: 'Deletion' });
export type DeletionDocument = z.infer<typeof deletionDocumentSchema>;

export const archivedDocumentSchema = z
  .strictObject({
    batchId: batchIdSchema,
    archivedAt: timeSchema.nullable().describe('null: not archived'),
  })
  .meta({ id: 'Archived' });
export type ArchivedDocument = z.infer<typeof archivedDocumentSchema>;

export const labelsDocumentSchema = z
  .strictObject({
    id: z.string().describe('of the batch or run'),
    note: z.string().nullable(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'Labels' });
export type LabelsDocument = z.infer<typeof labelsDocumentSchema>;
