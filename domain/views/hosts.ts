import { z } from 'zod';
import { countSchema, timeSchema } from './values.js';

const hostStateSchema = z
  .enum(['up', 'paused', 'drained', 'leaving', 'silent', 'lost', 'removed'])
  .describe(
    '`paused`: full, or cut off; `leaving`: hands its runs on; `silent`: misses registrations; `lost`: its runs went to others',
  );

/** A server that hosts need. */
const unreachedSchema = z.enum(['PostgreSQL', 'Temporal']).nullable();
export type Unreached = z.infer<typeof unreachedSchema>;

export const hostSchema = z
  .strictObject({
    hostId: z.string(),
    hostname: z.string().nullable(),
    cpus: z.number().nullable(),
    memoryMb: z.number().nullable(),
    gpus: z.array(z.string()),
    busyGpus: z.array(z.string()).describe('used by others'),
    backends: z.array(z.string()),
    roles: z.array(z.string()),
    version: z.string().nullable(),
    state: hostStateSchema,
    pauseReason: z.string().nullable().describe('why it takes no new runs'),
    unreachableServer: unreachedSchema.describe('server that it does not reach; null: it reaches both, or has ended'),
    slots: countSchema.nullable(),
    memoryFreeMb: z.number().nullable(),
    memoryForRunsMb: z.number().nullable().describe("for its runs' limits together; null: not counted"),
    diskTotalMb: z.number().nullable(),
    diskFreeMb: z.number().nullable(),
    seenAt: timeSchema,
    leavesAt: timeSchema.nullable().describe('when it leaves; null: it stays'),
    activeRuns: countSchema.describe('not ended'),
  })
  .meta({ id: 'Host' });
export type HostRow = z.infer<typeof hostSchema>;

/** Silent or lost, while it has runs. */
export const unreachableHostSchema = z
  .strictObject({
    hostId: z.string(),
    runs: countSchema.describe('of the batch, not ended'),
    seenAt: timeSchema,
    unreachableServer: unreachedSchema.describe('server that it does not reach; null: its worker may have ended'),
  })
  .meta({ id: 'UnreachableHost' });
export type UnreachableHost = z.infer<typeof unreachableHostSchema>;

export const hostsDocumentSchema = z.strictObject({ hosts: z.array(hostSchema) });
export type HostsDocument = z.infer<typeof hostsDocumentSchema>;

export const changedHostSchema = z.strictObject({
  hostId: z.string(),
  state: z.enum(['up', 'drained', 'removed', 'revoked']),
});
export const hostInvitationSchema = z
  .strictObject({
    hostId: z.string(),
    invitation: z.string().describe('for `bench hosts join`, once; secret'),
    expiresAt: timeSchema,
  })
  .meta({ id: 'HostInvitation' });
export type HostInvitationDocument = z.infer<typeof hostInvitationSchema>;

export const slurmScriptSchema = z.strictObject({ script: z.string() });
export type SlurmScriptDocument = z.infer<typeof slurmScriptSchema>;

export const joinedHostSchema = z.strictObject({ hostId: z.string(), home: z.string() });
export type JoinedHost = z.infer<typeof joinedHostSchema>;

export type ChangedHost = z.infer<typeof changedHostSchema>;
