import { createHash } from 'node:crypto';
import { z } from 'zod';
import { buildOf, buildSchema } from './build.js';

const workerCommandSchema = z.object({
  command: z.array(z.string()).min(1),
  /** The whole environment, with keys: passed through pipes, never stored. */
  env: z.record(z.string(), z.string()),
  /** Variables of keys and addresses that the model files name. */
  keys: z.array(z.string()).default([]),
  addresses: z.array(z.string()).default([]),
});
export type WorkerCommand = z.infer<typeof workerCommandSchema>;

export const supervisorOptionsSchema = z.object({
  home: z.string(),
  databaseUrl: z.string().nullable(),
  /** Null: embedded; `temporalBinary` names the program. */
  temporalAddress: z.string().nullable(),
  temporalNamespace: z.string(),
  temporalBinary: z.string().nullable(),
  worker: workerCommandSchema.nullable(),
  build: buildSchema,
  /** Restarted by the guardian: keep trying, as the home ran before. */
  again: z.boolean().default(false),
  guardianPid: z.number().int().positive().nullable().default(null),
  /** For tests: how PostgreSQL is run as root, and where Temporal's ports are. */
  postgresUser: z.enum(['user-namespace', 'nobody']).optional(),
  temporalRoom: z.literal('shared').optional(),
});
export type SupervisorOptions = z.infer<typeof supervisorOptionsSchema>;

export const handoverSchema = z.object({
  worker: workerCommandSchema,
  gone: z.array(z.string()).default([]),
});

export const fingerprintOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24);

/** Variables whose change makes a running worker unfit for this command. */
const WATCHED =
  /^(DOCKER_|BENCH_|OPENAI_|ANTHROPIC_|TEMPORAL_TLS)|_(API_KEY|BASE_URL|TOKEN)$|^(HTTPS?|NO)_PROXY$|^(https?|no)_proxy$/;

/** The bucket's keys, which some providers rotate hourly. */
const OF_BUCKET = /^AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|PROFILE|REGION|ENDPOINT_URL)/;

export function workerFingerprint(worker: WorkerCommand): Record<string, string> {
  const script = worker.command.find((part) => /\.[cm]?js$/.test(part));
  const fingerprint: Record<string, string> = { command: fingerprintOf(JSON.stringify(worker.command)) };
  if (script !== undefined) {
    try {
      fingerprint['build'] = buildOf(script).hash;
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

/** Without the build and its place. */
export const settingsIn = (fingerprint: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fingerprint).filter(([entry]) => entry.startsWith('env:')));

/** Ignores variables that only the running worker has: they came from another terminal. */
export function workerDiffers(running: Record<string, string> | undefined, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).some(([name, value]) => running?.[name] !== value);
}

const KEY = /(^|_)(API_KEY|TOKEN|SECRET|PASSWORD)$/;

/** Settings that only the running worker has, except keys: running batches need those. */
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

/** Content of `migrated` once the database has this build's schema. */
export const migrationMark = ({ build, databaseUrl }: Pick<SupervisorOptions, 'build' | 'databaseUrl'>): string =>
  fingerprintOf(`${build.hash} ${databaseUrl ?? 'embedded'}`);
