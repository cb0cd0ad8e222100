import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { z } from 'zod';
import { buildSchema } from './build-age.js';

const workerCommandSchema = z.object({
  command: z.array(z.string()).min(1),
  /** The whole environment, keys of providers included: passed through pipes, never stored. */
  env: z.record(z.string(), z.string()),
  /** Variables that the model files name: of keys, and of providers' addresses. */
  keys: z.array(z.string()).default([]),
  addresses: z.array(z.string()).default([]),
});
/** How to start the worker; addresses are added by the supervisor. */
export type WorkerCommand = z.infer<typeof workerCommandSchema>;

export const supervisorOptionsSchema = z.object({
  home: z.string(),
  /** Null: PostgreSQL is embedded. */
  databaseUrl: z.string().nullable(),
  /** Null: Temporal is embedded, and `temporalBinary` names it. */
  temporalAddress: z.string().nullable(),
  temporalNamespace: z.string(),
  temporalBinary: z.string().nullable(),
  worker: workerCommandSchema.nullable(),
  /** Which build this is; see `buildStamp`. */
  stamp: z.string(),
  build: buildSchema,
  /** Started again by its guardian: a home that ran before; keep trying whatever happens. */
  again: z.boolean().default(false),
  guardianPid: z.number().int().positive().nullable().default(null),
  /** For tests: how PostgreSQL is run as root, and where Temporal's ports are. */
  postgresUser: z.enum(['user-namespace', 'nobody']).optional(),
  temporalRoom: z.literal('shared').optional(),
});
export type SupervisorOptions = z.infer<typeof supervisorOptionsSchema>;

export const handoverSchema = z.object({
  worker: workerCommandSchema,
  /** Variables to remove from the worker. */
  gone: z.array(z.string()).default([]),
});

export const fingerprintOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24);

/** Changes with every build, so that a new build does not keep the old one's processes. */
export function buildStamp(entry: string): string {
  return fingerprintOf(`${entry} ${statSync(entry).mtimeMs}`);
}

/** Variables whose change means that a running worker no longer has what this command expects of it. */
const WATCHED = /^(DOCKER_|BENCH_|OPENAI_|ANTHROPIC_|TEMPORAL_TLS)|_(API_KEY|BASE_URL|TOKEN)$/;

/** Keys of the bucket, which change by the hour in some places. */
const OF_BUCKET = /^AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|PROFILE|REGION|ENDPOINT_URL)/;

export function workerFingerprint(worker: WorkerCommand): Record<string, string> {
  const script = worker.command.find((part) => /\.[cm]?js$/.test(part));
  const fingerprint: Record<string, string> = { command: fingerprintOf(JSON.stringify(worker.command)) };
  if (script !== undefined) {
    try {
      fingerprint['build'] = buildStamp(script);
    } catch {
      fingerprint['build'] = 'missing';
    }
  }
  const hasBucket = /^s3:/i.test(worker.env['BENCH_ARTIFACTS'] ?? '');
  for (const [name, value] of Object.entries(worker.env)) {
    if (
      (hasBucket && OF_BUCKET.test(name)) ||
      WATCHED.test(name) ||
      worker.keys.includes(name) ||
      worker.addresses.includes(name)
    )
      fingerprint[`env:${name}`] = fingerprintOf(value);
  }
  return fingerprint;
}

/** A variable that only the running worker has is no reason for a restart: it came from another terminal. */
export function workerDiffers(running: Record<string, string> | undefined, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).some(([name, value]) => running?.[name] !== value);
}

const KEY = /(^|_)(API_KEY|TOKEN|SECRET|PASSWORD)$/;

/**
 * Settings that only the running worker has. Keys are excluded: they came from another terminal, and running batches need them until
 * `bench down`.
 */
export function goneSettings(
  running: Record<string, string> | undefined,
  wanted: Record<string, string>,
  { keys }: Pick<WorkerCommand, 'keys'>,
): string[] {
  return Object.keys(running ?? {})
    .filter((entry) => entry.startsWith('env:') && wanted[entry] === undefined)
    .map((entry) => entry.slice('env:'.length))
    .filter((name) => !KEY.test(name) && !keys.includes(name));
}

/** What `migrated` holds once the database has the schema of this build. */
export const migrationMark = (options: Pick<SupervisorOptions, 'stamp' | 'databaseUrl'>): string =>
  fingerprintOf(`${options.stamp} ${options.databaseUrl ?? 'embedded'}`);
