import { formatBytes } from '../domain/text/format.js';
import { accessSync, chmodSync, constants, existsSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BenchError } from '../domain/errors.js';
import { servicePaths } from './home-paths.js';
import { makeFolder } from './make-folder.js';

/** A new home needs a database, Temporal's store and logs; an old one room for write-ahead logs. */
const NEW_HOME_BYTES = 300 * 1024 * 1024;
const OLD_HOME_BYTES = 50 * 1024 * 1024;

/** Creates the home and checks that it is usable; throws one clear message otherwise. */
export function prepareHome(home: string): void {
  const paths = servicePaths(home);
  try {
    for (const directory of [home, paths.own, paths.layout.logs]) makeFolder(directory, 0o700);
    keepOthersOut(home, paths.layout.postgresData);
    const probe = join(paths.own, `.writable-${process.pid}`);
    writeFileSync(probe, Buffer.alloc(64 * 1024));
    rmSync(probe);
  } catch (error) {
    throw homeError(home, error);
  }
  const room = freeBytes(home);
  const needed = existsSync(paths.layout.postgresData) ? OLD_HOME_BYTES : NEW_HOME_BYTES;
  if (room !== null && room < needed) {
    throw new BenchError(
      'services',
      `the disk of the home ${home} is full: ${formatBytes(room)} free, ${formatBytes(needed)} needed`,
      {
        code: 'disk.full',
        remedy: 'free some space, or set BENCH_HOME to a directory on another disk',
      },
    );
  }
}

/** Keeps hidden data private, unless another user's PostgreSQL must enter the home. */
function keepOthersOut(home: string, postgresData: string): void {
  const { uid, mode } = statSync(home);
  const data = statSync(postgresData, { throwIfNoEntry: false });
  if ((mode & 0o077) === 0 || uid !== process.getuid?.() || (data !== undefined && data.uid !== uid)) return;
  chmodSync(home, 0o700);
}

/** Of this path or its nearest existing parent; null: unknown. */
export function freeBytes(path: string): number | null {
  for (let at = path; ; at = dirname(at)) {
    try {
      const stats = statfsSync(at);
      return stats.bavail * stats.bsize;
    } catch {
      if (at === dirname(at)) return null;
    }
  }
}

function codeOf(home: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  if (code !== 'ENOENT') return code;
  // On a read-only file system Node reports an uncreatable directory as missing: check its parent.
  try {
    accessSync(nearestExisting(home), constants.W_OK);
    return code;
  } catch (reason) {
    return (reason as NodeJS.ErrnoException).code ?? code;
  }
}

function nearestExisting(path: string): string {
  let at = path;
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  return at;
}

export function homeError(home: string, error: unknown): BenchError {
  const code = codeOf(home, error);
  const reasons: Record<string, string> = {
    EEXIST: 'something in its place is a file, not a directory',
    ENOTDIR: 'something in its place is a file, not a directory',
    EROFS: 'the file system is read-only',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
  };
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return new BenchError('services', `the home ${home} cannot be used: ${reason}`, {
    code: 'home.unusable',
    remedy:
      code === 'ENOSPC' || code === 'EDQUOT'
        ? 'free some space, or set BENCH_HOME to a directory on another disk'
        : 'set BENCH_HOME to a directory that you may create and write',
    cause: error,
  });
}
