import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'dotenv';
import { BenchError } from '../domain/errors.js';
import { type HomeLayout, homeLayout } from '../domain/home/layout.js';

/** The environment and `.env` files, read once at entry (`readSettings`) or given by a program. */
export interface BenchSettings {
  home: string;
  layout: HomeLayout;
  /** The package's own folder: configs/, images/, db/migrations next to package.json. */
  assetsRoot: string;
  /**
   * Folders of tasks, agents, suites and models, each once: `$BENCH_HOME/configs`, which may not
   * exist, over `$BENCH_CONFIGS`, else over the package's `configs/`.
   */
  configFolders: readonly string[];
  /** Set: this Postgres is used and none is started. */
  databaseUrl?: string;
  /** The schema's owner, for migrations and roles alone; hidden from processes that we start. */
  adminDatabaseUrl?: string;
  /** Set: this Temporal is used and none is started. */
  temporalAddress?: string;
  temporalNamespace: string;
  /** Downloaded or built binaries and images' contexts, shared by all homes of this user. */
  cacheDir: string;
  /** `external`: workers run elsewhere (compose, other hosts), none is started here. */
  worker: 'embedded' | 'external';
  /** The environment with `.env` files, for processes that the CLI starts. */
  env: Readonly<Record<string, string>>;
  workerCommand: readonly string[];
}

/** The folder of package.json: above operations/ in the sources, further up when built. */
export function findAssetsRoot(from: string = fileURLToPath(import.meta.url)): string {
  for (let dir = dirname(from); dir !== dirname(dir); dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json')) && existsSync(join(dir, 'configs'))) return dir;
  }
  throw new BenchError('failed', 'the installation is incomplete: no configs/ folder next to package.json', {
    remedy: 'Install or check out bench again.',
  });
}

function envFile(path: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return {};
    throw new BenchError('usage', `${path} cannot be read: ${(cause as Error).message}`, {
      code: 'file.not_found',
      remedy: 'Make it readable, or remove it.',
      cause,
    });
  }
  return parse(text);
}

/** See `BenchSettings.configFolders`. BenchError (usage): `$BENCH_CONFIGS` does not exist. */
export function configFolders({
  layout,
  assetsRoot,
  env,
  cwd,
}: {
  layout: HomeLayout;
  assetsRoot: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}): string[] {
  const named = env['BENCH_CONFIGS'];
  const below = named === undefined ? join(assetsRoot, 'configs') : resolve(cwd, named);
  if (!existsSync(below))
    throw new BenchError('usage', `BENCH_CONFIGS names ${below}, which does not exist`, {
      code: 'setting.invalid',
      remedy: 'Name a folder with tasks/ and agents/, or unset it.',
    });
  return [...new Set([layout.configs, below])];
}

const expandHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? home + path.slice(1) : path;

/** Settings of this command alone must not count as a change of the worker's. */
function forProcesses(env: Record<string, string>): Record<string, string> {
  const { BENCH_DEBUG: _debug, BENCH_WORKER: _worker, BENCH_OWNER_DATABASE_URL: _admin, ...rest } = env;
  return rest;
}

/**
 * Merges the environment, the working directory's `.env` and `$BENCH_HOME/.env`: the first value
 * wins, empty ones do not count.
 */
export function readSettings(environment: NodeJS.ProcessEnv, cwd: string, assetsRoot: string): BenchSettings {
  const said = (values: Record<string, string | undefined>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])));
  let env = { ...said(envFile(join(cwd, '.env'))), ...said(environment) };
  const userHome = env['HOME'] ?? homedir();
  const home = resolve(cwd, expandHome(env['BENCH_HOME'] ?? join(userHome, '.bench'), userHome));
  const layout = homeLayout(home);
  env = { ...said(envFile(layout.envFile)), ...env, BENCH_HOME: home };

  const worker = env['BENCH_WORKER'] ?? 'embedded';
  if (worker !== 'embedded' && worker !== 'external') {
    throw new BenchError('usage', `BENCH_WORKER is ${JSON.stringify(worker)}`, {
      code: 'setting.invalid',
      remedy: 'Set it to embedded (the default: a worker runs with the services) or external (workers run elsewhere).',
    });
  }
  const [databaseUrl, temporalAddress] = [env['DATABASE_URL'], env['TEMPORAL_ADDRESS']];
  if (temporalAddress !== undefined && !/^(?:\[[^\]]+\]|[^\s:/]+)(?::\d+)?$/.test(temporalAddress))
    throw new BenchError('usage', `TEMPORAL_ADDRESS is ${JSON.stringify(temporalAddress)}, which is not host:port`, {
      code: 'setting.invalid',
      remedy: 'Write it without a scheme or path, as temporal.example.org:7233; TEMPORAL_TLS=true turns on TLS.',
    });
  const adminDatabaseUrl = env['BENCH_OWNER_DATABASE_URL'];
  return {
    home,
    layout,
    assetsRoot,
    configFolders: configFolders({ layout, assetsRoot, env, cwd }),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(adminDatabaseUrl === undefined ? {} : { adminDatabaseUrl }),
    ...(temporalAddress === undefined ? {} : { temporalAddress }),
    temporalNamespace: env['TEMPORAL_NAMESPACE'] ?? 'default',
    cacheDir: join(env['XDG_CACHE_HOME'] ?? join(userHome, '.cache'), 'bench'),
    worker,
    env: forProcesses(env),
    workerCommand: [process.execPath, join(assetsRoot, 'dist', 'worker', 'main.js')],
  };
}
