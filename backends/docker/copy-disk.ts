import { constants, existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DISK } from './disk-stack.js';
import { mountAt, system } from './mounts.js';

/** File in the run's directory that exists while its disk is frozen. */
const FROZEN = 'frozen';
const COPYING_MS = 20 * 60_000;

/**
 * One copy at a time over all processes; a killed one keeps the lock to its own end. The descriptor
 * pins the mounted disk: a later unmount must never freeze the host's own file system.
 */
const ALONE = `exec 3<${DISK} 4>>disk.lock && flock 4 || exit 1
[ "$(stat -Lc %d /dev/fd/3)" != "$(stat -c %d .)" ] || { echo 'it is not mounted' >&2; exit 1; }`;
/** The shell survives its parent, so that it always thaws the disk. fstrim frees deleted blocks. */
const COPY = `trap : TERM INT HUP; timeout 60 fstrim ${DISK} 2>/dev/null; ${ALONE}
: > ${FROZEN} && fsfreeze -f /dev/fd/3 || exit 1
cp --reflink=auto --sparse=auto -- "$1" "$2"; copied=$?
fsfreeze -u /dev/fd/3 || { echo 'another process has thawed it' >&2; exit 1; }
rm -f ${FROZEN}; exit $copied`;
const THAW = `${ALONE}
fsfreeze -u /dev/fd/3 2>/dev/null; rm -f ${FROZEN}`;

/**
 * Copies the mounted disk of this run's directory, the file `image`, to a new file. Writers wait
 * meanwhile; the copy is consistent, and instant where the file system shares blocks. Throws
 * InfrastructureError; the caller removes a partial copy.
 */
export async function copyDisk(dir: string, image: string, to: string): Promise<void> {
  try {
    await system('sh', ['-c', COPY, 'sh', join(dir, image), to], { cwd: dir, timeoutMs: COPYING_MS });
  } finally {
    await thawDisk(dir);
  }
}

/** Thaws a disk whose copying process was killed; waits for a copy under way. */
export async function thawDisk(dir: string): Promise<void> {
  if (!existsSync(join(dir, FROZEN)) || (await mountAt(join(dir, DISK))) === null) return;
  await system('sh', ['-c', THAW], { cwd: dir, timeoutMs: COPYING_MS });
}

/** Copies a host file; shares blocks where the file system can. Throws InfrastructureError. */
export const copyImage = (from: string, to: string): Promise<void> =>
  system('cp', ['--reflink=auto', '--sparse=auto', '--', from, to], { timeoutMs: COPYING_MS });

/** Copies only by sharing blocks; the kernel refuses at once where it cannot. */
export const shareImage = (from: string, to: string): Promise<boolean> =>
  copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );
