import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findProcesses, identify, signal, waitUntilGone, workingDirectory } from './process-identity.js';
import { handOver, type PostgresUser } from './postgres-user.js';
import { writeFileAtomically } from './services-file.js';

export const POSTGRES_USER = 'bench';
export const POSTGRES_DATABASE = 'bench';

/** Made at first use, in a file that only the owner can read. */
export function postgresPassword(passwordFile: string): string {
  if (existsSync(passwordFile)) return readFileSync(passwordFile, 'utf8').trim();
  mkdirSync(dirname(passwordFile), { recursive: true });
  const password = randomBytes(24).toString('base64url');
  writeFileAtomically(passwordFile, `${password}\n`);
  return password;
}

export const postgresUrl = (port: number, password: string): string =>
  `postgresql://${POSTGRES_USER}:${password}@127.0.0.1:${port}/${POSTGRES_DATABASE}`;

/** Creates the cluster once, renamed into place, so that a crash leaves no partial database. */
export async function initialisePostgres(user: PostgresUser, password: string): Promise<boolean> {
  if (existsSync(join(user.dataDir, 'PG_VERSION'))) return false;
  const parent = dirname(user.dataDir);
  mkdirSync(parent, { recursive: true });
  const prefix = `${basename(user.dataDir)}.new-`;
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const fresh = join(parent, `${prefix}${process.pid}`);
  const passwordFile = join(parent, `${prefix}password`);
  mkdirSync(fresh, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  handOver(fresh, user);
  handOver(passwordFile, user);
  try {
    await runToEnd(user, user.binaries.initdb, [
      ...['-D', fresh, '-U', POSTGRES_USER, '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
      ...[
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
      ],
    ]);
    appendFileSync(join(fresh, 'postgresql.conf'), CONFIGURATION);
    // The only moment without a password: a single-user process, before clients can connect.
    await runToEnd(
      user,
      user.binaries.postgres,
      ['--single', '-D', fresh, 'postgres'],
      `CREATE DATABASE ${POSTGRES_DATABASE}\n`,
    );
    renameSync(fresh, user.dataDir);
    return true;
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Port and address are arguments, as they may change; the rest is in postgresql.conf. */
const CONFIGURATION = `
# Added by bench. Loopback TCP only, no unix socket: socket paths under deep homes are too long.
unix_socket_directories = ''
max_connections = 200
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] '
log_checkpoints = off
# Never so long that a batch would wait for it, never lost with the process: commits reach the disk.
synchronous_commit = on
max_wal_size = '512MB'
`;

export function postgresCommand(user: PostgresUser, port: number): [string, ...string[]] {
  return prefixed(user, user.binaries.postgres, [
    ...['-D', user.dataDir, '-c', 'listen_addresses=127.0.0.1', '-c', `port=${port}`],
  ]);
}

function prefixed(user: PostgresUser, program: string, args: readonly string[]): [string, ...string[]] {
  const [first, ...rest] = [...user.prefix, program, ...args];
  return [first ?? program, ...rest];
}

function runToEnd(user: PostgresUser, program: string, args: readonly string[], input = ''): Promise<void> {
  const [command, ...rest] = prefixed(user, program, args);
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { stdio: 'pipe', cwd: dirname(user.dataDir), env: POSTGRES_ENV });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4000)));
    }
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', reject);
    child.once('close', (code) => {
      // `postgres --single` reports failed statements, but exits with 0.
      if (code === 0 && !/^.*(ERROR|FATAL|PANIC): /m.test(output)) return resolve();
      reject(new Error(`${basename(program)} ended with ${code}: ${output.trim().split('\n').slice(-4).join(' | ')}`));
    });
  });
}

/** PostgreSQL would obey the caller's PGDATA, PGPORT and locale. */
export const POSTGRES_ENV: Record<string, string> = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Call with the home's lock. Ends an earlier server and its processes, and removes a
 * `postmaster.pid` that names a foreign process or a zombie, which would block the start.
 */
export async function clearWayForPostgres(dataDir: string, log: (line: string) => void): Promise<void> {
  if (!existsSync(dataDir)) return;
  const realDataDir = realpathSync(dataDir);
  const isOurs = (pid: number) => workingDirectory(pid) === realDataDir;
  const leftovers = findProcesses(isOurs);
  for (const [name, graceMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5000],
    ['SIGKILL', 5000],
  ] as const) {
    const alive = leftovers.filter((identity) => signal(identity, name));
    if (alive.length === 0) break;
    log(`postgres: ${name} to ${alive.length} left-over process(es) of ${dataDir}`);
    await Promise.all(alive.map((identity) => waitUntilGone(identity, graceMs)));
  }
  if (process.platform !== 'linux') return;
  const pidFile = join(dataDir, 'postmaster.pid');
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : NaN;
  if (!Number.isInteger(pid) || pid <= 0) return;
  if (identify(pid) === null || !isOurs(pid)) {
    log(`postgres: removed a stale postmaster.pid (process ${pid} is not this server)`);
    rmSync(pidFile, { force: true });
  }
}
