import { z } from 'zod';
import { batchIdSchema, countSchema, runIdSchema, timeSchema } from './values.js';

export const leaseSchema = z
  .strictObject({
    hostId: z.string(),
    device: z.string(),
    runId: runIdSchema,
    token: countSchema,
    grantedAt: timeSchema,
    revokedAt: timeSchema.nullable().describe('taken back; free once its containers are gone'),
    releasedAt: timeSchema.nullable(),
  })
  .meta({ id: 'Lease' });
export type LeaseRow = z.infer<typeof leaseSchema>;

const leaseWaiterSchema = z.strictObject({
  runId: runIdSchema,
  batchId: batchIdSchema,
  gpus: countSchema,
  waitingSince: timeSchema,
});
/** A run that waits for GPUs. */
export type LeaseWaiter = z.infer<typeof leaseWaiterSchema>;

export const leasesDocumentSchema = z.strictObject({
  leases: z.array(leaseSchema),
  waiting: z.array(leaseWaiterSchema),
});
export type LeasesDocument = z.infer<typeof leasesDocumentSchema>;
