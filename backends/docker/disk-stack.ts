import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { InfrastructureError } from '../../domain/errors.js';
import { deviceAt, mountAt, system } from './mounts.js';

/** Kept disks are mounted read-only, once for all; an overlay keeps changes on the run's disk. */

/** Mount point of a run's own disk, below its directory. */
export const DISK = 'disk';
/** Mount point of the overlay of a stacked disk. */
const FILES = 'files';
const STACK = 'stack.json';
const lowerAt = (nth: number): string => `lower-${nth}`;
/** The run's own files on a stacked disk, and the kernel's working directory. */
const OWN = 'upper';
const WORK = 'work';
/** Renamed folders and hard links behave as on any disk. */
const OPTIONS = 'nosuid,nodev,index=on,redirect_dir=on,xino=auto';

const lowerSchema = z.object({ name: z.string(), image: z.string(), standsOnOthers: z.boolean() });
export type Lower = z.infer<typeof lowerSchema>;
const stackSchema = z.object({ restored: z.string(), below: z.array(lowerSchema) });
/** The kept disk that a disk was made from and those below, uppermost first; none: it is a copy. */
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

/** Nothing may be mounted there. */
export async function dropStack(dir: string): Promise<void> {
  await rm(join(dir, STACK), { force: true });
  if (standsOnOthers(dir)) await rmdir(join(dir, FILES));
}

/** On a stacked disk, its size limits what the agent changes, not all that it sees. */
export const standsOnOthers = (dir: string): boolean => existsSync(join(dir, FILES));

export const filesOn = (dir: string): string => join(dir, standsOnOthers(dir) ? FILES : DISK);

/** Mounts the overlay; the run's own disk is mounted already. Throws InfrastructureError. */
export async function mountStack(dir: string): Promise<void> {
  const stack = await readStack(dir);
  if (stack === null || stack.below.length === 0 || (await mountAt(join(dir, FILES))) !== null) return;
  for (const name of [OWN, WORK]) await mkdir(join(dir, DISK, name), { recursive: true, mode: 0o711 });
  for (const [nth, { image }] of stack.below.entries()) {
    const at = join(dir, lowerAt(nth));
    if ((await mountAt(at)) !== null) continue;
    await mkdir(at, { recursive: true, mode: 0o700 });
    // All users share one loop device. Retry: its last user may leave meanwhile.
    const mount = () => system('mount', ['-o', 'loop,ro,nosuid,nodev,noload', image, at]);
    await mount().catch(mount);
  }
  // Relative paths: short, and without colons, which the kernel reads as separators.
  const lower = stack.below.map((one, nth) => (one.standsOnOthers ? `${lowerAt(nth)}/${OWN}` : lowerAt(nth))).join(':');
  const places = `lowerdir=${lower},upperdir=${DISK}/${OWN},workdir=${DISK}/${WORK}`;
  await whenFree(() =>
    system('mount', ['-t', 'overlay', 'overlay', '-o', `${OPTIONS},${places}`, FILES], { cwd: dir }),
  );
  if (!existsSync(join(dir, FILES, 'home')))
    throw new InfrastructureError(`the disks below that of ${dir} do not contain what they should`);
}

const FREE_WITHIN_MS = 20_000;

/** A lazily unmounted overlay holds its directories until the last process that sees it ends. */
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

export const lowersOf = (stack: Stack): string[] => stack.below.map((_, nth) => lowerAt(nth));

export const filesAreShown = async (dir: string): Promise<boolean> => (await deviceAt(join(dir, FILES))) !== null;

/**
 * Has the run changed a hard-linked file? The kernel's index of links lies outside the run's own
 * files: a copy of those alone would restore the other names' old content.
 */
export async function changedLinks(dir: string): Promise<boolean> {
  const remembered = await readdir(join(dir, DISK, WORK, 'index'));
  // The kernel's own entries begin with #.
  return remembered.some((name) => !name.startsWith('#'));
}
