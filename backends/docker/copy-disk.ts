import { constants, existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DISK } from './disk-stack.js';
import { mountAt, system } from './mounts.js';

/** In the run's directory, from before its disk is frozen until it is thawed. */
const FROZEN = 'frozen';
const COPYING_MS = 20 * 60_000;

/**
 * One at a time over all processes; killed, its copying program holds the lock to its own end. The mounted disk is held as a descriptor: what is
 * mounted or not meanwhile, no other file system can be meant, the host's own least of all.
 */
const ALONE = `exec 3<${DISK} 4>>disk.lock && flock 4 || exit 1
[ "$(stat -Lc %d /dev/fd/3)" != "$(stat -c %d .)" ] || { echo 'it is not mounted' >&2; exit 1; }`;
/**
 * A shell's, which continues, and thaws the disk, when its parent is killed. What was deleted is not copied; not every host's file
 * system has holes.
 */
const COPY = `trap : TERM INT HUP; timeout 60 fstrim ${DISK} 2>/dev/null; ${ALONE}
: > ${FROZEN} && fsfreeze -f /dev/fd/3 || exit 1
cp --reflink=auto --sparse=auto -- "$1" "$2"; copied=$?
fsfreeze -u /dev/fd/3 || { echo 'another process has thawed it' >&2; exit 1; }
rm -f ${FROZEN}; exit $copied`;
const THAW = `${ALONE}
fsfreeze -u /dev/fd/3 2>/dev/null; rm -f ${FROZEN}`;

/**
 * Copy the mounted disk of the run whose directory this is, as the file `image`, to a new file. Writers wait meanwhile;
 * what was written is in the copy, which needs no repair. Takes no time where the host's file system shares blocks between files.
 * Throws InfrastructureError, and leaves what it has to the caller.
 */
export async function copyDisk(dir: string, image: string, to: string): Promise<void> {
  try {
    await system('sh', ['-c', COPY, 'sh', join(dir, image), to], { cwd: dir, timeoutMs: COPYING_MS });
  } finally {
    await thawDisk(dir);
  }
}

/** Thaws the disk if a process that copied it was killed before it did; waits for a copy that is under way. */
export async function thawDisk(dir: string): Promise<void> {
  if (!existsSync(join(dir, FROZEN)) || (await mountAt(join(dir, DISK))) === null) return;
  await system('sh', ['-c', THAW], { cwd: dir, timeoutMs: COPYING_MS });
}

/** A file of the host, copied; at no cost in room where its file system shares blocks. Throws InfrastructureError. */
export const copyImage = (from: string, to: string): Promise<void> =>
  system('cp', ['--reflink=auto', '--sparse=auto', '--', from, to], { timeoutMs: COPYING_MS });

/** The same where blocks are shared, and only there: asked of the kernel itself, whose no is as quick as its yes. */
export const shareImage = (from: string, to: string): Promise<boolean> =>
  copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );
