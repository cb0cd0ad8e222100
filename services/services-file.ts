import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { buildSchema } from './build-age.js';

export const SERVICE_NAMES = ['postgres', 'temporal', 'worker'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

const identitySchema = z.object({ pid: z.number().int().positive(), startTime: z.string() });
const portSchema = z.number().int().min(1).max(65535);

const serviceStateSchema = z.object({
  /** Null while it is not running. */
  process: identitySchema.nullable(),
  /** `waiting`: for a dependency; `backoff`: it ended and will be restarted. */
  status: z.enum(['waiting', 'starting', 'healthy', 'backoff', 'stopped']),
  /** Starts after the first, since the supervisor's start. */
  restarts: z.number().int(),
  startedAt: z.string().nullable(),
  /** Why it is not running, or why it was last restarted. */
  lastExit: z.string().nullable(),
  /** What it was started with, so that a change is noticed; see worker-command.ts. */
  fingerprint: z.record(z.string(), z.string()).optional(),
});
export type ServiceState = z.infer<typeof serviceStateSchema>;

/** `$BENCH_HOME/services.json`: written by the supervisor alone, read by everyone. */
const servicesFileSchema = z.object({
  version: z.literal(1),
  /** `failed`: the first start did not succeed; `failure` says why. */
  status: z.enum(['starting', 'running', 'stopping', 'stopped', 'failed']),
  failure: z.object({ service: z.string(), message: z.string(), log: z.string(), at: z.number() }).nullable(),
  supervisor: identitySchema
    .extend({
      startedAt: z.string(),
      /** The shell that starts the supervisor again if it is killed. */
      guardian: identitySchema.nullable(),
      /** Which build of the program it runs. */
      stamp: z.string(),
      build: buildSchema,
    })
    .nullable(),
  /** Kept over restarts, so that addresses stay the same. */
  ports: z.object({ postgres: portSchema.optional(), temporal: portSchema.optional() }),
  /** The embedded Temporal requires TLS and the home's key; false: no TLS. */
  temporalTls: z.boolean(),
  /** A server has worked on the embedded Temporal's store: a store that is gone or empty is a loss. */
  temporalStore: z.boolean().default(false),
  /** Differs from the home's own folder only where its user may not enter it. */
  postgresData: z.string().nullable(),
  /** Hash of the URL or address that the environment gave; null: this home runs its own. */
  external: z.object({ database: z.string().nullable(), temporal: z.string().nullable() }),
  temporalNamespace: z.string(),
  services: z.partialRecord(z.enum(SERVICE_NAMES), serviceStateSchema),
});
export type ServicesFile = z.infer<typeof servicesFileSchema>;

/** Null if missing or unreadable; then everything is determined afresh. */
export function readServicesFile(path: string): ServicesFile | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  try {
    return servicesFileSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export function writeServicesFile(path: string, content: ServicesFile): void {
  writeFileAtomically(path, `${JSON.stringify(content, null, 2)}\n`);
}

/** Readers see the old file or the new one, never a part. Readable by the owner alone. */
export function writeFileAtomically(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
