import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { execa } from 'execa';
import { InfrastructureError } from '../../domain/errors.js';
import { AGENT_UID } from '../../domain/limits.js';

/**
 * A file system of fixed size for everything that an agent may write to: a sparse file below the run's directory, mounted
 * through a loop device. It takes root; elsewhere the supervisor watches the size.
 */

const IMAGE = 'disk.img';
const MOUNTED = 'disk';
/** Of a file system below that its own books take too large a part. */
const SMALLEST_MB = 16;

export const hasDisk = (dir: string): boolean => existsSync(join(dir, IMAGE));

/** Can this process make such disks at all? */
export function disksPossible(): boolean {
  const programs = ['mkfs.ext4', 'mount', 'umount'];
  const found = (name: string) => ['/usr/sbin', '/sbin', '/usr/bin', '/bin'].some((at) => existsSync(join(at, name)));
  return (
    process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/dev/loop-control') && programs.every(found)
  );
}

/** Make the disk of the run whose directory this is, once, and mount it. Throws InfrastructureError. */
export async function ensureDisk(dir: string, megabytes: number): Promise<void> {
  const image = join(dir, IMAGE);
  if (!existsSync(image)) {
    const aside = `${image}.${process.pid}`;
    const file = await open(aside, 'w', 0o600);
    await file.truncate(Math.max(megabytes, SMALLEST_MB) * 1024 * 1024).finally(() => file.close());
    const quick = 'lazy_itable_init=1,lazy_journal_init=1,nodiscard';
    await system('mkfs.ext4', ['-q', '-F', '-m', '0', '-J', 'size=4', '-E', quick, aside]);
    await rename(aside, image);
  }
  await mountDisk(dir);
}

/** Mount the disk unless it is mounted. It is not after a reboot. */
export async function mountDisk(dir: string): Promise<void> {
  const at = join(dir, MOUNTED);
  if (!(await isMounted(at))) {
    await mkdir(at, { recursive: true, mode: 0o711 });
    await system('mount', ['-o', 'loop,nosuid,nodev', join(dir, IMAGE), at]);
  }
  await folder(join(at, 'home'), 0o755, AGENT_UID);
  await folder(join(at, 'home', 'workspace'), 0o755, AGENT_UID);
  await folder(join(at, 'tmp'), 0o1777, 0);
}

/** Unmount it, also where it was mounted twice; false: it was not. Its file is the caller's to remove. */
export async function unmountDisk(dir: string): Promise<boolean> {
  const at = join(dir, MOUNTED);
  const mounted = await isMounted(at);
  for (let times = 0; times < 10 && (await isMounted(at)); times++)
    // Lazily: whatever still holds a file of it cannot keep the run from being cleared away.
    await system('umount', ['-l', at]).catch((error: unknown) => {
      if (times === 9) throw error;
    });
  return mounted;
}

/** What the container gets of it: the places where an agent's user may write. */
export function diskMounts(dir: string): Docker.MountSettings[] {
  const bind = (name: string, target: string): Docker.MountSettings => ({
    Type: 'bind',
    Source: join(dir, MOUNTED, name),
    Target: target,
  });
  return [bind('home', '/home/agent'), bind('tmp', '/tmp'), bind('tmp', '/var/tmp')];
}

async function folder(path: string, mode: number, owner: number): Promise<void> {
  // What exists is the agent's, and may be a link by now.
  const made = await mkdir(path).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    },
  );
  if (!made) return;
  await chmod(path, mode);
  await chown(path, owner, owner);
}

async function isMounted(path: string): Promise<boolean> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8');
  // Spaces and the like are written in octal there.
  const written = path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return mounts.split('\n').some((line) => line.split(' ')[4] === written);
}

async function system(program: string, args: string[]): Promise<void> {
  try {
    await execa(program, args, { stdin: 'ignore', preferLocal: false, timeout: 60_000 });
  } catch (error) {
    const { shortMessage, stderr } = error as { shortMessage?: string; stderr?: string };
    throw new InfrastructureError(`the workspace's disk: ${stderr?.trim() || shortMessage || program}`, {
      cause: error,
    });
  }
}

/** Nothing remains of a disk that could not be used. */
export async function dropDisk(dir: string): Promise<void> {
  await unmountDisk(dir);
  await rm(join(dir, IMAGE), { force: true });
}
