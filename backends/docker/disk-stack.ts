import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { InfrastructureError } from '../../domain/errors.js';
import { deviceAt, mountAt, system } from './mounts.js';

/**
 * A run's disk may stand on kept ones: the agent sees their files until it changes them, and what it changes lies on its own disk. The
 * kernel's overlay file system does it; the kept disks are mounted read-only, and one mount of the kernel's serves all runs on them.
 */

/** Where a run's own disk is mounted, below its directory. */
export const DISK = 'disk';
/** Where the files are seen of a disk that stands on others. */
const FILES = 'files';
const STACK = 'stack.json';
const lowerAt = (nth: number): string => `lower-${nth}`;
/** Of the run's own files, on a disk that stands on others, and what the kernel needs beside them. */
const OWN = 'upper';
const WORK = 'work';
/** Renamed folders and files of several names behave as on any disk. */
const OPTIONS = 'nosuid,nodev,index=on,redirect_dir=on,xino=auto';

const lowerSchema = z.object({ name: z.string(), image: z.string(), standsOnOthers: z.boolean() });
/** A kept disk that others stand on. */
export type Lower = z.infer<typeof lowerSchema>;
const stackSchema = z.object({ restored: z.string(), below: z.array(lowerSchema) });
/** Which kept disk a run's disk was made from, and the kept disks that it stands on, the uppermost first; none: it is a copy. */
export type Stack = z.infer<typeof stackSchema>;

/** Null: the disk was made empty. */
export async function readStack(dir: string): Promise<Stack | null> {
  if (!existsSync(join(dir, STACK))) return null;
  return stackSchema.parse(JSON.parse(await readFile(join(dir, STACK), 'utf8')));
}

export async function writeStack(dir: string, stack: Stack): Promise<void> {
  const aside = join(dir, `${STACK}.${process.pid}`);
  await writeFile(aside, JSON.stringify(stack), { mode: 0o600 });
  await rename(aside, join(dir, STACK));
  await mkdir(join(dir, DISK), { recursive: true, mode: 0o711 });
  if (stack.below.length > 0) await mkdir(join(dir, FILES), { recursive: true, mode: 0o711 });
}

/** Nothing is mounted there. */
export async function dropStack(dir: string): Promise<void> {
  await rm(join(dir, STACK), { force: true });
  if (standsOnOthers(dir)) await rmdir(join(dir, FILES));
}

/** Does the run's disk stand on others? Then its size bounds what the agent changes, not all that it sees. */
export const standsOnOthers = (dir: string): boolean => existsSync(join(dir, FILES));

/** Where home and temporary directory of the run whose directory this is lie. */
export const filesOn = (dir: string): string => join(dir, standsOnOthers(dir) ? FILES : DISK);

/** Show the files, unless they are shown; the run's own disk is mounted. Throws InfrastructureError. */
export async function mountStack(dir: string): Promise<void> {
  const stack = await readStack(dir);
  if (stack === null || stack.below.length === 0 || (await mountAt(join(dir, FILES))) !== null) return;
  for (const name of [OWN, WORK]) await mkdir(join(dir, DISK, name), { recursive: true, mode: 0o711 });
  for (const [nth, { image }] of stack.below.entries()) {
    const at = join(dir, lowerAt(nth));
    if ((await mountAt(at)) !== null) continue;
    await mkdir(at, { recursive: true, mode: 0o700 });
    // The same device for all who mount it: the program finds it, unless its last user leaves just then.
    const mount = () => system('mount', ['-o', 'loop,ro,nosuid,nodev,noload', image, at]);
    await mount().catch(mount);
  }
  // As they are named from the run's directory: neither their length nor a colon in them is of importance then.
  const lower = stack.below.map((one, nth) => (one.standsOnOthers ? `${lowerAt(nth)}/${OWN}` : lowerAt(nth))).join(':');
  const places = `lowerdir=${lower},upperdir=${DISK}/${OWN},workdir=${DISK}/${WORK}`;
  await whenFree(() =>
    system('mount', ['-t', 'overlay', 'overlay', '-o', `${OPTIONS},${places}`, FILES], { cwd: dir }),
  );
  if (!existsSync(join(dir, FILES, 'home')))
    throw new InfrastructureError(`the disks below that of ${dir} do not contain what they should`);
}

const FREE_WITHIN_MS = 20_000;

/** Files that were unmounted lazily hold their directories until the last process that sees them, as of a container that ends, is gone. */
async function whenFree(mount: () => Promise<void>): Promise<void> {
  const until = Date.now() + FREE_WITHIN_MS;
  for (;;) {
    try {
      return await mount();
    } catch (error) {
      if (Date.now() > until || !/already mounted|busy/.test((error as Error).message)) throw error;
      await sleep(100);
    }
  }
}

/** Directories below the run's at which the kept disks are mounted. */
export const lowersOf = (stack: Stack): string[] => stack.below.map((_, nth) => lowerAt(nth));

export const filesAreShown = async (dir: string): Promise<boolean> => (await deviceAt(join(dir, FILES))) !== null;

/**
 * Has the run changed a file of several names? The kernel remembers that they are one beside the run's own files: a copy of these alone
 * would give the others their old content.
 */
export async function changedLinks(dir: string): Promise<boolean> {
  const remembered = await readdir(join(dir, DISK, WORK, 'index'));
  // What begins so is the kernel's own, for a moment or for all that is deleted.
  return remembered.some((name) => !name.startsWith('#'));
}
