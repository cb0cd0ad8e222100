import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { buildSchema } from './build.js';

export const SERVICE_NAMES = ['postgres', 'temporal', 'worker'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

const identitySchema = z.object({ pid: z.number().int().positive(), startTime: z.string() });
const portSchema = z.number().int().min(1).max(65535);

const serviceStateSchema = z.object({
  process: identitySchema.nullable(),
  /** `waiting`: for a dependency; `backoff`: it ended and will be restarted. */
  status: z.enum(['waiting', 'starting', 'healthy', 'backoff', 'stopped']),
  /** Since the supervisor's start, not counting the first. */
  restarts: z.number().int(),
  startedAt: z.string().nullable(),
  lastExit: z.string().nullable(),
  /** What it was started with, to notice changes; see worker-command.ts. */
  fingerprint: z.record(z.string(), z.string()).optional(),
});
export type ServiceState = z.infer<typeof serviceStateSchema>;

/** `$BENCH_HOME/services.json`: only the supervisor writes it. */
const servicesFileSchema = z.object({
  version: z.literal(1),
  status: z.enum(['starting', 'running', 'stopping', 'stopped', 'failed']),
  failure: z.object({ service: z.string(), message: z.string(), log: z.string(), at: z.number() }).nullable(),
  supervisor: identitySchema
    .extend({
      startedAt: z.string(),
      guardian: identitySchema.nullable(),
      build: buildSchema,
    })
    .nullable(),
  /** Kept over restarts, so that addresses stay the same. */
  ports: z.object({ postgres: portSchema.optional(), temporal: portSchema.optional() }),
  /** The embedded Temporal requires TLS and the home's key. */
  temporalTls: z.boolean(),
  /** A server has used the embedded store, so a missing or empty one is a loss. */
  temporalStore: z.boolean().default(false),
  /** Outside the home only where PostgreSQL's user may not enter it. */
  postgresData: z.string().nullable(),
  /** Hash of a given URL or address; null: embedded. */
  external: z.object({ database: z.string().nullable(), temporal: z.string().nullable() }),
  temporalNamespace: z.string(),
  services: z.partialRecord(z.enum(SERVICE_NAMES), serviceStateSchema),
});
export type ServicesFile = z.infer<typeof servicesFileSchema>;

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

/** Atomic for readers; only the owner may read. */
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
