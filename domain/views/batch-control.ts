import { z } from 'zod';
import {
  batchIdSchema,
  batchStatusSchema,
  countSchema,
  endReasonSchema,
  runIdSchema,
  runStatusSchema,
} from './values.js';

/** What is printed by the verbs that change a batch or a run. */

export const pauseDocumentSchema = z
  .strictObject({
    batchId: batchIdSchema,
    paused: z.boolean().describe('false: it is over'),
    status: batchStatusSchema,
    queuedRuns: countSchema,
    runningRuns: countSchema,
    endedRuns: countSchema,
  })
  .meta({ id: 'Pause' });
export type PauseDocument = z.infer<typeof pauseDocumentSchema>;

export const resumeDocumentSchema = z.strictObject({
  resumed: z.array(z.strictObject({ batchId: batchIdSchema, unfinishedRuns: countSchema })),
});
export type ResumeDocument = z.infer<typeof resumeDocumentSchema>;

export const retryDocumentSchema = z.strictObject({
  batchId: batchIdSchema,
  runs: z.array(z.strictObject({ runId: runIdSchema, replaces: runIdSchema.nullable() })),
});
export type RetryDocument = z.infer<typeof retryDocumentSchema>;

const requested = z.boolean().describe('false: it had ended already');

export const cancelledBatchSchema = z
  .strictObject({
    batchId: batchIdSchema,
    requested,
    status: batchStatusSchema.describe('before the request'),
    unfinishedRuns: countSchema,
  })
  .meta({ id: 'CancelledBatch' });
export type CancelledBatch = z.infer<typeof cancelledBatchSchema>;

export const cancelledRunSchema = z
  .strictObject({
    runId: runIdSchema,
    requested,
    status: runStatusSchema.describe('before the request'),
    endReason: endReasonSchema.nullable(),
  })
  .meta({ id: 'CancelledRun' });
export type CancelledRun = z.infer<typeof cancelledRunSchema>;
