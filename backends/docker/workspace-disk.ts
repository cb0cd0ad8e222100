import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, chown, link, lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type Docker from 'dockerode';
import { AGENT_UID } from '../../domain/run/limits.js';
import { thawDisk } from './copy-disk.js';
import {
  DISK,
  dropStack,
  filesAreShown,
  filesOn,
  lowersOf,
  mountStack,
  readStack,
  standsOnOthers,
} from './disk-stack.js';
import { deviceAt, mountAt, mountsIn, system } from './mounts.js';

/** A loop-mounted sparse file limits what an agent writes. Without root the supervisor watches. */

export const IMAGE = 'disk.img';
/** On smaller file systems the metadata takes too large a part. */
const SMALLEST_MB = 16;
/** A failed data write shuts the file system down: a run must not continue with damaged files. */
const MOUNT_OPTIONS = 'loop,nosuid,nodev,errors=remount-ro,data_err=abort';
/** Options by which kernels, oldest first, mark a file system that they shut down. */
const GIVEN_UP = ['ro', 'emergency_ro', 'shutdown'];

export const hasDisk = (dir: string): boolean => existsSync(join(dir, IMAGE));

export function disksPossible(): boolean {
  const programs = ['mkfs.ext4', 'mount', 'umount'];
  const found = (name: string) => ['/usr/sbin', '/sbin', '/usr/bin', '/bin'].some((at) => existsSync(join(at, name)));
  return (
    process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/dev/loop-control') && programs.every(found)
  );
}

/** Makes this run's disk, once, and mounts it. Throws InfrastructureError. */
export async function ensureDisk(dir: string, megabytes: number): Promise<void> {
  const image = join(dir, IMAGE);
  if (!existsSync(image)) {
    const aside = `${image}.${randomUUID()}`;
    try {
      const file = await open(aside, 'w', 0o600);
      try {
        await file.truncate(Math.max(megabytes, SMALLEST_MB) * 1024 * 1024);
      } finally {
        await file.close();
      }
      const quick = 'lazy_itable_init=1,lazy_journal_init=1,nodiscard';
      await system('mkfs.ext4', ['-q', '-F', '-m', '0', '-J', 'size=4', '-E', quick, aside]);
      // Keep the first: it may be mounted already.
      await link(aside, image).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    } finally {
      await rm(aside, { force: true });
    }
  }
  await mountDisk(dir);
}

/** Mounts the disk unless it is mounted, as after a reboot. */
export async function mountDisk(dir: string): Promise<void> {
  const own = join(dir, DISK);
  if ((await mountAt(own)) === null) {
    await mkdir(own, { recursive: true, mode: 0o711 });
    await system('mount', ['-o', MOUNT_OPTIONS, join(dir, IMAGE), own]);
  }
  await thawDisk(dir);
  // A broken disk cannot be written to; callers that mount it call diskFault.
  if ((await diskFault(dir)) !== null) return;
  await mountStack(dir);
  const at = filesOn(dir);
  await folder(at, 'home', 0o755, AGENT_UID);
  await folder(at, 'home/workspace', 0o755, AGENT_UID);
  await folder(at, 'tmp', 0o1777, 0);
}

/** Unmounts it, however often mounted, with the disks below; false: it was not. The file stays. */
export async function unmountDisk(dir: string): Promise<boolean> {
  await thawDisk(dir);
  const mounted = await mountsIn(dir);
  for (let times = 0, left = mounted; times < 10 && left.length > 0; times++) {
    for (const name of left)
      // Lazily: an open file must not keep the run from being removed.
      await system('umount', ['-l', join(dir, name)]).catch((error: unknown) => {
        if (times === 9) throw error;
      });
    left = await mountsIn(dir);
  }
  return mounted.length > 0;
}

/** Drops unwritten data; nothing more reaches the disk's file. No effect unless mounted. */
export async function abortDisk(dir: string): Promise<void> {
  if ((await mountAt(join(dir, DISK))) !== null) await system('mount', ['-o', 'remount,abort', join(dir, DISK)]);
}

/**
 * Why the mounted disk is broken for good; null: it is intact, or not mounted. A disk breaks when
 * the home's disk is full or fails during write-back, not when the agent fills it. `mounted`: it
 * was mounted a moment ago.
 */
export async function diskFault(dir: string, { mounted } = { mounted: false }): Promise<string | null> {
  const device = await deviceAt(join(dir, DISK));
  if (device === null || (mounted && standsOnOthers(dir) && !(await filesAreShown(dir))))
    return mounted ? 'was unmounted' : null;
  const errors = errorsOf(device);
  const times = errors === 0 ? '' : `, after ${errors} failed write${errors === 1 ? '' : 's'}`;
  const options = optionsOf(device) ?? (await mountAt(join(dir, DISK)))?.options ?? [];
  if (options.some((option) => GIVEN_UP.includes(option))) return `was made read-only by the kernel${times}`;
  // Mounted again since then.
  if (errors > 0) return 'has lost unwritten data';
  return (await lowerFails(dir)) ? 'is on a disk that cannot be read' : null;
}

/** Path of the workspace on the disk; null: no disk. The agent may replace all of it. */
export const workspaceOn = (dir: string): string | null =>
  hasDisk(dir) ? join(filesOn(dir), 'home', 'workspace') : null;

/** The disk's folders that are mounted into the container: where the agent may write. */
export function diskMounts(dir: string): Docker.MountSettings[] {
  const bind = (name: string, target: string): Docker.MountSettings => ({
    Type: 'bind',
    Source: join(filesOn(dir), name),
    Target: target,
  });
  return [bind('home', '/home/agent'), bind('tmp', '/tmp'), bind('tmp', '/var/tmp')];
}

/** The agent does not see the disk's root, where this makes a folder. */
async function folder(root: string, name: string, mode: number, owner: number): Promise<void> {
  const path = join(root, name);
  if (await exists(path)) return;
  // Renamed into place, so that a killed process leaves no folder that the agent cannot write to.
  const aside = join(root, `making-${process.pid}-${randomBytes(4).toString('hex')}`);
  await mkdir(aside);
  try {
    await chmod(aside, mode);
    await chown(aside, owner, owner);
    await rename(aside, path);
  } catch (error) {
    await rmdir(aside);
    // Another process was faster.
    if (!(await exists(path))) throw error;
  }
}

/** Without following links: existing entries are the agent's. */
const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    },
  );

async function lowerFails(dir: string): Promise<boolean> {
  const stack = standsOnOthers(dir) ? await readStack(dir) : null;
  for (const name of stack === null ? [] : lowersOf(stack)) {
    const device = await deviceAt(join(dir, name));
    if (device !== null && errorsOf(device) > 0) return true;
  }
  return false;
}

/** Stored in the file system, so it outlives the mount. 0 on kernels without ext4's counter. */
const errorsOf = (device: string): number =>
  Number(fromKernel(device, (name) => `/sys/fs/ext4/${name}/errors_count`) ?? 0);

/** The file system's options, as in Mount; null: not shown here. */
const optionsOf = (device: string): string[] | null =>
  fromKernel(device, (name) => `/proc/fs/ext4/${name}/options`)?.split('\n') ?? null;

/** Reads a kernel file, in microseconds; null: this device has none. */
function fromKernel(device: string, file: (name: string) => string): string | null {
  try {
    return readFileSync(file(basename(readlinkSync(`/sys/dev/block/${device}`))), 'utf8');
  } catch {
    return null;
  }
}

export async function dropDisk(dir: string): Promise<void> {
  await unmountDisk(dir);
  await rm(join(dir, IMAGE), { force: true });
  await dropStack(dir);
}
