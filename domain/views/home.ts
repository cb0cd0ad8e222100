import { z } from 'zod';
import { countSchema, timeSchema } from './values.js';

/** What the verbs for a home and its machine print. */

const serviceNameSchema = z.enum(['postgres', 'temporal', 'worker']);

const serviceStatusSchema = z
  .strictObject({
    name: serviceNameSchema,
    status: z
      .enum(['waiting', 'starting', 'healthy', 'backoff', 'stopped', 'gone'])
      .describe('`gone`: its process has vanished'),
    pid: countSchema.nullable(),
    port: countSchema.nullable(),
    restarts: countSchema,
    startedAt: timeSchema.nullable(),
    lastExit: z.string().nullable(),
    log: z.string(),
  })
  .meta({ id: 'Service' });
export type ServiceStatus = z.infer<typeof serviceStatusSchema>;

export const upDocumentSchema = z
  .strictObject({
    home: z.string(),
    databaseUrl: z.string().describe('with its password'),
    temporalAddress: z.string(),
    temporalNamespace: z.string(),
    temporalVariables: z.record(z.string(), z.string()).describe('for clients of the embedded Temporal'),
    embedded: z
      .strictObject({ postgres: z.boolean(), temporal: z.boolean(), worker: z.boolean() })
      .describe('run by this home'),
    supervisorPid: countSchema.nullable(),
    services: z.array(serviceStatusSchema),
  })
  .meta({ id: 'Up' });
export type UpDocument = z.infer<typeof upDocumentSchema>;

export const downDocumentSchema = z
  .strictObject({
    home: z.string(),
    stopped: z.array(serviceNameSchema),
    unfinishedRuns: countSchema.nullable().describe('null: the database did not answer, or nothing ran'),
  })
  .meta({ id: 'Down' });
export type DownDocument = z.infer<typeof downDocumentSchema>;

const machineCheckSchema = z.strictObject({
  name: z.string(),
  status: z.enum(['ok', 'warn', 'fail']),
  detail: z.string(),
  remedy: z.string().nullable(),
});
/** Something that this machine has or lacks. */
export type MachineCheck = z.infer<typeof machineCheckSchema>;

export const doctorDocumentSchema = z.strictObject({ ok: z.boolean(), checks: z.array(machineCheckSchema) });
export type DoctorDocument = z.infer<typeof doctorDocumentSchema>;

export const pruneDocumentSchema = z
  .strictObject({
    removed: z.boolean().describe('false: what could go'),
    keepDays: countSchema,
    snapshots: countSchema.nullable().describe('null: not asked for; `artifacts` and `images` likewise'),
    artifacts: z.strictObject({ files: countSchema, bytes: countSchema }).nullable(),
    images: z
      .array(z.strictObject({ backend: z.enum(['docker', 'podman']), ref: z.string(), bytes: countSchema }))
      .nullable(),
  })
  .meta({ id: 'Prune' });
export type PruneDocument = z.infer<typeof pruneDocumentSchema>;

const imageKindSchema = z.enum(['agent', 'evaluator']);
/** `layers`: of tasks with packages of their own. */
export const imagesDocumentSchema = z.strictObject({
  images: z.array(z.strictObject({ kind: imageKindSchema, ref: z.string(), digest: z.string() })),
  layers: z.array(z.strictObject({ task: z.string(), kind: imageKindSchema, ref: z.string(), digest: z.string() })),
});
export type ImagesDocument = z.infer<typeof imagesDocumentSchema>;

export const workerDocumentSchema = z.strictObject({ exitCode: z.int() });
export type WorkerDocument = z.infer<typeof workerDocumentSchema>;

export const completionDocumentSchema = z
  .strictObject({ shell: z.enum(['bash', 'zsh', 'fish']), script: z.string() })
  .meta({ id: 'Completion' });
export type CompletionDocument = z.infer<typeof completionDocumentSchema>;
