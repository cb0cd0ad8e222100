import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../domain/errors.js';
import type { PostgresBinaries } from './postgres-binaries.js';

/** PostgreSQL refuses to run as root. */
export interface PostgresUser {
  kind: 'self' | 'user-namespace' | 'nobody';
  /** Prefix that execs the program, so that it has the process id. */
  prefix: readonly string[];
  binaries: PostgresBinaries;
  dataDir: string;
  /** Owner of new files, if not us. */
  uid: number | null;
}

const NOBODY = 65534;
const NAMESPACE_PREFIX = ['unshare', '-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
const NOBODY_PREFIX = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'];

/**
 * As root: a user namespace that maps our files to an unprivileged user; where namespaces are
 * forbidden, `nobody`, with data and binaries where that user can reach them.
 */
export function choosePostgresUser(options: {
  home: string;
  dataDir: string;
  binaries: PostgresBinaries;
  /** An earlier choice for this data directory, or a test's. */
  kind?: PostgresUser['kind'];
  look?: boolean;
}): PostgresUser {
  const { binaries, dataDir } = options;
  const asSelf = { kind: 'self', prefix: [], binaries, dataDir, uid: null } as const;
  if (process.getuid?.() !== 0) return asSelf;
  if (options.kind !== 'nobody' && works([...NAMESPACE_PREFIX, 'true'])) {
    return { ...asSelf, kind: 'user-namespace', prefix: NAMESPACE_PREFIX };
  }
  if (!works([...NOBODY_PREFIX, 'true'])) {
    throw new BenchError('services', 'PostgreSQL refuses to run as root, and neither unshare nor setpriv works here', {
      code: 'services.start_failed',
      remedy: 'run bench as an ordinary user, install util-linux, or set DATABASE_URL',
    });
  }
  if (options.look === true) return { ...asSelf, kind: 'nobody' };
  return asNobody(options.home, dataDir, binaries);
}

const works = ([command, ...args]: string[]) => spawnSync(command ?? '', args, { stdio: 'ignore' }).status === 0;

function asNobody(home: string, wantedDataDir: string, wanted: PostgresBinaries): PostgresUser {
  const refuge = join('/var/tmp', `bench-postgres-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`);
  const mayEnter = (path: string) => works([...NOBODY_PREFIX, 'test', '-x', path]);
  const user = (dataDir: string, binaries: PostgresBinaries): PostgresUser => ({
    kind: 'nobody',
    prefix: NOBODY_PREFIX,
    binaries,
    dataDir,
    uid: NOBODY,
  });
  const reachableHome = mayEnter(home);
  const reachableBinaries = mayEnter(wanted.postgres);
  if (!reachableHome || !reachableBinaries) {
    mkdirSync(refuge, { recursive: true, mode: 0o755 });
    chmodSync(refuge, 0o755);
  }
  let binaries = wanted;
  if (!reachableBinaries) {
    const root = join(refuge, 'native');
    const marker = (from: string) => readFileSync(join(from, '..', 'package.json'), 'utf8');
    const complete = join(refuge, 'package.json');
    if (!existsSync(complete) || readFileSync(complete, 'utf8') !== marker(wanted.root)) {
      cpSync(wanted.root, root, { recursive: true, verbatimSymlinks: true });
      cpSync(join(wanted.root, '..', 'package.json'), complete);
    }
    binaries = { root, initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') };
  }
  return user(reachableHome ? wantedDataDir : join(refuge, 'data'), binaries);
}

export function handOver(path: string, user: PostgresUser): void {
  if (user.uid !== null) chownSync(path, user.uid, user.uid);
}
