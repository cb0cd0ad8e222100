import { formatBytes } from '../../domain/text/format.js';
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { engineAddress, type EngineBackend } from '../../backends/docker/engine-address.js';
import { probeEngine } from '../../backends/docker/engine.js';
import { unenforcedLimits } from '../../backends/docker/enforced-limits.js';
import { findPython } from '../../backends/local/find-python.js';
import { BenchError, type RemedyFields, problemLine } from '../../domain/errors.js';
import { describeAccess, temporalAccess } from '../../domain/home/temporal-access.js';
import {
  checkExternalDatabase,
  checkExternalTemporal,
  choosePostgresUser,
  chooseTemporalRoom,
  embeddedDatabaseUrl,
  findOnPath,
  findPostgres,
  findTemporal,
  freeBytes,
  portIsFree,
  servicesStatus,
  temporalStoreStatus,
} from '../../services/index.js';
import type { BenchSettings } from '../settings.js';
import { artifactLocation, describeLocation } from '../../domain/home/artifact-location.js';
import { validateConfig } from '../catalog/validate-config.js';
import { checkGpus } from './check-gpus.js';
import { serviceFacts } from './service-facts.js';
import { startableSettings } from './worker-settings.js';
import type { MachineCheck } from '../../domain/views/home.js';

export interface Check extends MachineCheck {
  fields?: RemedyFields;
}

type Finding = Omit<Check, 'name'>;
const ok = (detail: string): Finding => ({ status: 'ok', detail, remedy: null });
const warn = (detail: string, remedy: string): Finding => ({ status: 'warn', detail, remedy });
const fail = (detail: string, remedy: string): Finding => ({ status: 'fail', detail, remedy });

const GB = 1024 ** 3;

/** What this machine has and lacks. Read-only: starts, downloads and creates nothing. */
export async function doctorChecks(settings: BenchSettings, cwd: string): Promise<MachineCheck[]> {
  const [docker, podman] = await Promise.all([checkEngine('docker', settings), checkEngine('podman', settings)]);
  const checks: [string, Finding | Promise<Finding | null> | null][] = [
    ['node', checkNode()],
    ['settings', checkSettings(settings)],
    ['home', checkHome(settings.home)],
    ['disk', checkDisk(settings.home)],
    ['artifacts', checkArtifacts(settings)],
    ['temporal', checkTemporal(settings)],
    ['store', checkStore(settings)],
    ['reach', checkReach(settings)],
    ['postgres', checkPostgres(settings)],
    ['engine', anyEngine(docker, podman)],
    // Most machines have one engine, and lack nothing.
    ['podman', podman.status === 'ok' && docker.status === 'ok' ? podman : null],
    ['python', checkPython([docker, podman].some(({ status }) => status === 'ok'))],
    ['ports', checkPorts(settings)],
    ['services', checkServices(settings.home)],
    ['configs', checkConfigs(settings)],
    ['.env', checkEnvFiles(settings, cwd)],
  ];
  const found: MachineCheck[] = [];
  for (const [name, check] of checks) {
    const finding = await check;
    if (finding) found.push({ name, ...finding });
  }
  return found;
}

function fromError(error: unknown): Finding {
  const remedy = error instanceof BenchError ? (error.remedy ?? '') : '';
  const fields = error instanceof BenchError ? error.fields : {};
  return { ...fail(error instanceof Error ? error.message : String(error), remedy), fields };
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major > 20 && major < 25)
    ? ok(`Node.js ${process.versions.node}`)
    : fail(`Node.js ${process.versions.node}`, 'use Node.js 20.19 or later, below 25');
}

/** Null: a worker would start with them. */
async function checkSettings(settings: BenchSettings): Promise<Finding | null> {
  try {
    const { gpus } = startableSettings(settings);
    await checkGpus(gpus);
    return null;
  } catch (error) {
    return fromError(error);
  }
}

function checkHome(home: string): Finding {
  let at = home;
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  try {
    if (!statSync(at).isDirectory()) return fail(`${at} is a file, not a directory`, 'set BENCH_HOME to another path');
    accessSync(at, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return fail(`${at} is not writable (${code})`, 'set BENCH_HOME to a directory that you may write');
  }
  return ok(at === home ? home : `${home} (will be created)`);
}

function checkDisk(home: string): Finding {
  const free = freeBytes(home);
  if (free === null) return warn('unknown', 'check it yourself: df');
  const detail = `${formatBytes(free)} free for ${home}`;
  if (free < 0.3 * GB) return fail(detail, 'free some space, or set BENCH_HOME to a directory on another disk');
  if (free < 3 * GB) return warn(detail, 'images and workspaces of many runs need more');
  return ok(detail);
}

/** Null: artifacts are in the home. Writes to a bucket and cleans up. */
async function checkArtifacts(settings: BenchSettings): Promise<Finding | null> {
  try {
    const location = artifactLocation(settings.layout, settings.env);
    if (location.kind === 'folder') return location.shared ? ok(location.dir) : null;
    const { checkArtifactStore } = await import('../../backends/artifacts/check-store.js');
    await checkArtifactStore(location);
    return ok(`${describeLocation(location)} can be written and read`);
  } catch (error) {
    return fromError(error);
  }
}

async function checkTemporal(settings: BenchSettings): Promise<Finding> {
  const { temporalAddress, temporalNamespace, env, cacheDir } = settings;
  try {
    if (temporalAddress !== undefined) {
      const access = temporalAccess(env, (path) => readFileSync(path));
      await checkExternalTemporal(temporalAddress, temporalNamespace, access);
      const how = describeAccess(access);
      const { databaseOfNamespace } = await import('./claim-namespace.js');
      const databaseUrl = settings.databaseUrl ?? embeddedDatabaseUrl(settings.home);
      const serves = await databaseOfNamespace({ temporalAddress, temporalNamespace }, databaseUrl, settings);
      return ok(
        `TEMPORAL_ADDRESS ${temporalAddress} answers, namespace ${temporalNamespace}${how === '' ? '' : ` (${how})`}, ` +
          (serves === null ? 'which serves no database yet' : `which serves the database ${serves}`),
      );
    }
    const found = await findTemporal({ env, cacheDir, obtain: false });
    return ok(`${found.path} (from ${found.source}): ${found.version}`);
  } catch (error) {
    if (temporalAddress !== undefined) return fromError(error);
    const go = findOnPath('go', env);
    return warn(
      'no `temporal` program on PATH or in the cache',
      go === null
        ? 'the first start downloads it; without a network, put the Temporal CLI on PATH, or Go 1.25 or later to build it'
        : `the first start downloads it, or builds it with ${go}, which takes minutes`,
    );
  }
}

/** Null: the embedded Temporal's file is whole and was never damaged. */
function checkStore({ temporalAddress, home }: BenchSettings): Finding | null {
  if (temporalAddress !== undefined) return null;
  const { damage, kept } = temporalStoreStatus(home);
  if (damage !== null)
    return warn(
      `the store of Temporal is damaged: ${damage}`,
      'nothing to do: the next start keeps it under another name, and restarts all unfinished runs from PostgreSQL; check the disk',
    );
  const last = kept.at(-1);
  if (last === undefined) return null;
  const bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
  const times = kept.length === 1 ? 'once' : `${kept.length} times, last`;
  return warn(
    `the store of Temporal was damaged ${times} at ${last.at.toISOString()}; an empty one took its place, and unfinished runs ` +
      `were restarted from PostgreSQL (events temporal_store_replaced and workflow_lost)`,
    `check the disk and its file system; then delete what was kept, ${formatBytes(bytes)}: ${last.path.replace(/[^/]+$/, 'temporal.db.damaged-*')}`,
  );
}

function checkReach({ temporalAddress }: BenchSettings): Finding | null {
  if (temporalAddress !== undefined) return null;
  const room = chooseTemporalRoom();
  if (room.kind === 'own') return ok('the embedded Temporal accepts only this user');
  return warn(
    `other users of this machine can reach the embedded Temporal: ${room.reason}`,
    'where others work on this machine, set TEMPORAL_ADDRESS to a server that requires TLS and certificates',
  );
}

const TRIES = 3;
const TRY_AGAIN_MS = 1000;

/** One lost answer, or a restarting server, does not mean that it is down. */
async function severalTimes(check: (url: string) => Promise<void>, url: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await check(url);
    } catch (error) {
      if (tries === TRIES || !(error instanceof BenchError && error.code === 'database.unreachable')) throw error;
      await sleep(TRY_AGAIN_MS);
    }
  }
}

async function checkPostgres(settings: BenchSettings): Promise<Finding> {
  try {
    if (settings.databaseUrl !== undefined) {
      await severalTimes(checkExternalDatabase, settings.databaseUrl);
      return ok('DATABASE_URL answers');
    }
    const binaries = findPostgres();
    const dataDir = settings.layout.postgresData;
    const user = choosePostgresUser({ home: settings.home, dataDir, binaries, look: true });
    const { stdout } = await promisify(execFile)(binaries.postgres, ['--version'], { timeout: 20_000 });
    const how = { self: '', 'user-namespace': ', in a user namespace since we are root', nobody: ', as user nobody' };
    return ok(`${stdout.trim()}, embedded${how[user.kind]}`);
  } catch (error) {
    return fromError(error);
  }
}

async function checkEngine(backend: EngineBackend, settings: BenchSettings): Promise<Finding> {
  try {
    const probe = await probeEngine(engineAddress(backend, settings.env));
    if (probe.kind === 'unavailable') return warn(probe.reason, probe.remedy);
    const { url, sharesFiles } = probe.address;
    const unenforced = await unenforcedLimits(probe.docker);
    return ok(
      `${backend} ${probe.version} at ${url}` +
        (sharesFiles ? '' : ', which shares no files with this process (slower commands)') +
        (unenforced.length === 0 ? '' : `, which does not limit ${unenforced.join(', ')} (fewer runs at a time)`),
    );
  } catch (error) {
    return fromError(error);
  }
}

function anyEngine(docker: Finding, podman: Finding): Finding {
  if (docker.status !== 'warn') return docker;
  if (podman.status === 'ok') return ok(`${podman.detail}; no docker: ${docker.detail}`);
  return warn(
    `${docker.detail}; ${podman.detail}`,
    `${docker.remedy}; or podman: ${podman.remedy}; until then only scripted models run, without isolation`,
  );
}

async function checkPython(engine: boolean): Promise<Finding> {
  try {
    return ok(`${await findPython(undefined, null)}, for the local backend`);
  } catch (error) {
    const found = fromError(error);
    return engine ? { ...found, status: 'warn', detail: `${found.detail}: no local backend` } : found;
  }
}

async function checkPorts(settings: BenchSettings): Promise<Finding | null> {
  const status = servicesStatus(settings.home);
  const idle = status.services.filter((service) => service.pid === null && service.port !== null);
  const taken: string[] = [];
  for (const { name, port } of idle) {
    if (port !== null && !(await portIsFree(port))) taken.push(`${port} (${name})`);
  }
  if (taken.length === 0) return ok('own ports on 127.0.0.1, chosen at the first start');
  return warn(`taken by another program: ${taken.join(', ')}`, 'nothing to do: the next start chooses another port');
}

function checkServices(home: string): Finding {
  const status = servicesStatus(home);
  const detail = status.services.map((service) => `${service.name} ${serviceFacts(service).join(', ')}`).join('; ');
  const pids = status.services.filter((service) => service.pid !== null);
  if (!status.running && pids.length === 0) return ok('not running; the next command that needs them starts them');
  if (!status.running) return warn(`running without a supervisor: ${detail}`, '`bench up` puts them under one again');
  const ill = status.services.filter((service) => service.status !== 'healthy');
  if (ill.length === 0) return ok(detail);
  return warn(detail, `read ${ill.map((service) => service.log).join(' and ')}`);
}

/** A broken file disables only itself: no reason to fail. */
async function checkConfigs(settings: BenchSettings): Promise<Finding> {
  // Without a Python, the check of that name says so.
  const files = await validateConfig({ settings, notify: () => undefined }, []);
  const problems = files.flatMap((file) => file.problems);
  if (problems.length === 0)
    return ok(`${files.length} files in ${settings.configFolders.filter(existsSync).join(', ')}`);
  return warn(
    problems.map(problemLine).join('; '),
    'correct these files, which are disabled until then; `bench validate-config` checks them',
  );
}

/** `.env` files contain keys: neither git nor other users should see them. */
async function checkEnvFiles(settings: BenchSettings, cwd: string): Promise<Finding | null> {
  const here = join(cwd, '.env');
  const present = [here, settings.layout.envFile].filter((path) => existsSync(path));
  if (present.length === 0) return null;
  const open = present.filter((path) => (statSync(path).mode & 0o077) !== 0);
  if (existsSync(here) && (await wouldBeCommitted(cwd))) {
    return warn(`${here} is not ignored by git: its keys may be committed`, 'add .env to .gitignore');
  }
  if (open.length > 0) return warn(`other users can read ${open.join(' and ')}`, `chmod 600 ${open.join(' ')}`);
  return ok(present.join(', '));
}

async function wouldBeCommitted(cwd: string): Promise<boolean> {
  const git = (...args: string[]) => promisify(execFile)('git', ['-C', cwd, ...args], { timeout: 10_000 });
  try {
    await git('rev-parse', '--is-inside-work-tree');
  } catch {
    return false;
  }
  try {
    await git('check-ignore', '-q', '.env');
    return false;
  } catch {
    return true;
  }
}
