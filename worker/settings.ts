import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EngineAddress, engineAddress, type EngineBackend } from '../activities/docker/engine-address.js';
import { type PackageSources, packageSources } from '../activities/docker/package-sources.js';
import { BenchError } from '../domain/errors.js';
import { type HomeLayout, homeLayout } from '../domain/home-layout.js';

export interface WorkerSettings {
  layout: HomeLayout;
  /** The package's folder: images/, configs/. */
  assetsRoot: string;
  configsDir: string;
  /** Of this user, for all homes: bases of images. */
  cacheDir: string;
  databaseUrl: string;
  temporalAddress: string;
  temporalNamespace: string;
  /** Where the engines answer, or why the environment names none; only runs on that backend need it. */
  engines: Record<EngineBackend, EngineAddress | BenchError>;
  /** Where tasks' image layers get their packages from. */
  packageSources: PackageSources;
  /** Overrides the home's own host name. */
  hostId: string | undefined;
  hostname: string;
  /** GPU device ids that this host may hand out. */
  gpus: string[];
  /** Activities at once on this host: one per run in flight. */
  slots: number;
  /** Gets our process id once we are ready: the supervisor of the embedded services waits for it. */
  readyFile: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Read the worker's settings from an environment; throws BenchError (usage) that names the variable. */
export function workerSettings(env: Env): WorkerSettings {
  const assetsRoot = packageRoot();
  return {
    layout: homeLayout(resolve(env['BENCH_HOME'] ?? join(homedir(), '.bench'))),
    assetsRoot,
    configsDir: resolve(env['BENCH_CONFIGS'] ?? join(assetsRoot, 'configs')),
    databaseUrl: required(env, 'DATABASE_URL'),
    temporalAddress: required(env, 'TEMPORAL_ADDRESS'),
    temporalNamespace: env['TEMPORAL_NAMESPACE'] ?? 'default',
    engines: { docker: engineOf('docker', env), podman: engineOf('podman', env) },
    cacheDir: join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'bench'),
    packageSources: packageSources(env),
    hostId: env['BENCH_HOST'],
    hostname: hostname(),
    gpus: (env['BENCH_GPUS'] ?? '')
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
    slots: positive(env, 'BENCH_SLOTS', 64),
    readyFile: env['BENCH_READY_FILE'],
  };
}

function engineOf(backend: EngineBackend, env: Env): EngineAddress | BenchError {
  try {
    return engineAddress(backend, env);
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
}

function required(env: Env, name: string): string {
  const value = env[name];
  if (value === undefined || value === '')
    throw new BenchError('usage', `The worker needs ${name}.`, {
      remedy: '`bench up` starts a worker with everything set.',
    });
  return value;
}

function positive(env: Env, name: string, fallback: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new BenchError('usage', `${name} must be a whole number of at least 1, not "${text}".`);
  return value;
}

/** The folder of package.json, from the source tree as from dist/. */
function packageRoot(): string {
  const here = fileURLToPath(new URL('.', import.meta.url));
  return here.split(/[/\\]/).includes('dist') ? resolve(here, '..', '..') : resolve(here, '..');
}
