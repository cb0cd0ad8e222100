import { readFileSync } from 'node:fs';
import { availableParallelism, homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type EngineAddress, engineAddress, type EngineBackend } from '../../backends/docker/engine-address.js';
import { type PackageSources, packageSources } from '../../backends/docker/package-sources.js';
import { BenchError } from '../../domain/errors.js';
import { type TemporalAccess, temporalAccess, withoutTemporalAccess } from '../../domain/home/temporal-access.js';
import { type GpuSetting, gpuSetting } from '../../domain/run/gpus.js';
import { timeOfText } from '../../domain/text/time-of-text.js';
import { LOG_LEVELS, type WorkerLogLevel } from './log-levels.js';
import { metricsAddress, type MetricsAddress } from './metrics-address.js';
import { type Webhook, webhookOf } from '../notify/webhook.js';
import { type BenchSettings, configFolders, findAssetsRoot } from '../settings.js';
import { type ArtifactLocation, artifactLocation } from '../../domain/home/artifact-location.js';
import { type HomeLayout, homeLayout } from '../../domain/home/layout.js';

export interface WorkerSettings {
  layout: HomeLayout;
  /** The package's folder: images/, configs/. */
  assetsRoot: string;
  configFolders: readonly string[];
  /** Submissions and snapshots; hosts that share a store can continue each other's runs. */
  artifacts: ArtifactLocation;
  /** Shared by all homes of this user: bases of images. */
  cacheDir: string;
  databaseUrl: string;
  /** Maximum of connections to the database. */
  databasePool: number;
  logLevel: WorkerLogLevel;
  /** Null: no notifications. */
  notify: Webhook | null;
  /** Where Prometheus scrapes; undefined: nowhere. */
  metrics: MetricsAddress | undefined;
  temporalAddress: string;
  /** TLS and API key: secret. */
  temporalAccess: TemporalAccess;
  temporalNamespace: string;
  /** Engine addresses, or why one is missing; only runs on that backend need it. */
  engines: Record<EngineBackend, EngineAddress | BenchError>;
  /** Package sources of tasks' image layers. */
  packageSources: PackageSources;
  /** Overrides the home's own host name. */
  hostId: string | undefined;
  hostname: string;
  /** GPUs that this host leases; `auto`: those that nvidia-smi lists. */
  gpus: GpuSetting;
  slots: number;
  evaluations: number;
  /** Sandboxes of each kind that stand ready for the next episodes. */
  warmSandboxes: number;
  /** Cap on the sum of its runs' memory limits, MB; null: none. */
  memoryForRunsMb: number | null;
  /** Takes no new runs with less free space on the home's disk, MB. */
  minDiskFreeMb: number;
  /** Seconds between registrations of the host. */
  heartbeatSeconds: number;
  /** When its machine goes away; null: it stays. */
  until: Date | null;
  /** Seconds that it may take to hand its runs over. */
  graceSeconds: number;
  roles: WorkerRole[];
  version: string;
  /** Gets our process id once we are ready; the supervisor waits for this file. */
  readyFile: string | undefined;
}

/** `workflows` also runs their bookkeeping; `models` calls providers; `host` executes runs. */
const WORKER_ROLES = ['workflows', 'models', 'host'] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];

type Env = Readonly<Record<string, string | undefined>>;

/** Throws BenchError (usage) that names the variable. */
export function workerSettings(env: Env): WorkerSettings {
  const assetsRoot = findAssetsRoot();
  const layout = homeLayout(resolve(env['BENCH_HOME'] ?? join(homedir(), '.bench')));
  return {
    layout,
    artifacts: artifactLocation(layout, env),
    assetsRoot,
    configFolders: configFolders({ layout, assetsRoot, env, cwd: process.cwd() }),
    databaseUrl: required(env, 'DATABASE_URL'),
    databasePool: positive(env, 'BENCH_DATABASE_POOL', 10),
    logLevel: logLevel(env['BENCH_LOG_LEVEL']),
    metrics: said(env['BENCH_METRICS']) === undefined ? undefined : metricsAddress(env['BENCH_METRICS'] ?? ''),
    notify: webhookOf(env),
    temporalAddress: required(env, 'TEMPORAL_ADDRESS'),
    temporalAccess: temporalAccess(env, (path) => readFileSync(path)),
    temporalNamespace: env['TEMPORAL_NAMESPACE'] ?? 'default',
    engines: { docker: engineOf('docker', env), podman: engineOf('podman', env) },
    cacheDir: join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'bench'),
    packageSources: packageSources(env),
    hostId: env['BENCH_HOST'],
    hostname: hostname(),
    gpus: gpuSetting(env['BENCH_GPUS']),
    slots: positive(env, 'BENCH_SLOTS', 64),
    evaluations: positive(env, 'BENCH_EVALUATIONS', availableParallelism()),
    warmSandboxes: env['BENCH_WARM_SANDBOXES'] === '0' ? 0 : positive(env, 'BENCH_WARM_SANDBOXES', 2),
    memoryForRunsMb: env['BENCH_MEMORY_MB'] ? positive(env, 'BENCH_MEMORY_MB', 1) : null,
    minDiskFreeMb: positive(env, 'BENCH_MIN_DISK_FREE_MB', 1024),
    heartbeatSeconds: positive(env, 'BENCH_HEARTBEAT_SECONDS', 10),
    until: timeOf(env['BENCH_UNTIL']),
    graceSeconds: positive(env, 'BENCH_GRACE_SECONDS', 25),
    roles: roles(env['BENCH_ROLES']),
    version: (JSON.parse(readFileSync(join(assetsRoot, 'package.json'), 'utf8')) as { version: string }).version,
    readyFile: env['BENCH_READY_FILE'],
  };
}

/** The same before the services run, whose addresses the starter of the worker adds. */
export function startableSettings({
  env,
  temporalAddress,
}: Pick<BenchSettings, 'env' | 'temporalAddress'>): WorkerSettings {
  const given = temporalAddress === undefined ? withoutTemporalAccess(env) : env;
  return workerSettings({ ...given, DATABASE_URL: 'postgres:', TEMPORAL_ADDRESS: 'given' });
}

function engineOf(backend: EngineBackend, env: Env): EngineAddress | BenchError {
  try {
    return engineAddress(backend, env);
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
}

function roles(text: string | undefined): WorkerRole[] {
  const named = list(text);
  const unknown = named.find((role) => !WORKER_ROLES.some((known) => known === role));
  if (unknown !== undefined)
    throw new BenchError('usage', `BENCH_ROLES names "${unknown}"`, {
      code: 'setting.invalid',
      remedy: `Roles are ${WORKER_ROLES.join(', ')}.`,
    });
  return named.length === 0 ? [...WORKER_ROLES] : WORKER_ROLES.filter((role) => named.includes(role));
}

const list = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function required(env: Env, name: string): string {
  const value = env[name];
  if (value === undefined || value === '')
    throw new BenchError('usage', `The worker needs ${name}.`, {
      code: 'setting.invalid',
      remedy: 'Use `bench up`, which starts a worker with everything set.',
    });
  return value;
}

const said = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

function logLevel(text: string | undefined): WorkerLogLevel {
  const level = LOG_LEVELS.find((known) => known === (said(text) ?? 'info'));
  if (level === undefined)
    throw new BenchError('usage', `BENCH_LOG_LEVEL is "${text}"`, {
      code: 'setting.invalid',
      remedy: `Set it to ${LOG_LEVELS.join(', ')}.`,
    });
  return level;
}

function timeOf(text: string | undefined): Date | null {
  if (said(text) === undefined) return null;
  const time = timeOfText(text ?? '');
  if (time !== null) return time;
  throw new BenchError('usage', `BENCH_UNTIL is "${text}", which is not a time`, {
    code: 'setting.invalid',
    remedy: 'Write it as 2030-01-31T18:00:00Z, or as seconds since 1970.',
    fields: { until: true },
  });
}

function positive(env: Env, name: string, fallback: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new BenchError('usage', `${name} must be a whole number of at least 1, not "${text}"`, {
      code: 'setting.invalid',
      remedy: `Correct ${name}, or unset it.`,
    });
  return value;
}
