import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { InfrastructureError } from '../../domain/errors.js';
import { CANNOT_UNPACK } from '../../domain/ports/sandbox-port.js';
import { copyDisk, copyImage, shareImage } from './copy-disk.js';
import { changedLinks, DISK, readStack, type Lower, writeStack } from './disk-stack.js';
import { dropDisk, ensureDisk, IMAGE } from './workspace-disk.js';

/**
 * Snapshots as copies of disks, in folders `<shelf>/<name>` that appear by one rename. A snapshot
 * of a stacked disk contains only the run's changes, and stands on the same kept disks.
 */

const ABOUT = 'about.json';
/** In the control directory: the shell's state for the next command, and the mark of its start. */
const SHELL = ['state', 'memory-added.json'];
const BEGUN = 'seeded';
/** Folder of unfinished writes; old ones were interrupted. */
export const KEPT_ASIDE = 'partial';

const MOST_ENTRIES = 500_000;
/** With more disks below, an archive flattens them. */
const MOST_BELOW = 8;
/** Smaller disks are copied where blocks cannot be shared: an overlay costs more per file. */
const COPIED_BYTES = 48 * 2 ** 20;
/** Kept free on the host's disk. */
const RESERVE_BYTES = 512 * 2 ** 20;

const aboutSchema = z.object({
  /** What the files use, on the disks below too: `bytes` in blocks, `entries` in inodes. */
  bytes: z.number(),
  entries: z.number(),
  length: z.number(),
  /** Size of the disk itself, for runs that stand on it. */
  megabytes: z.number(),
  below: z.array(z.string()),
});
type About = z.infer<typeof aboutSchema>;

/** Null: there is none, or it is incomplete. */
export async function keptDisk(shelf: string, name: string): Promise<About | null> {
  const about = await aboutIt(shelf, name);
  for (const one of about?.below ?? []) if ((await aboutIt(shelf, one)) === null) return null;
  return about;
}

async function aboutIt(shelf: string, name: string): Promise<About | null> {
  try {
    const about = aboutSchema.parse(JSON.parse(await readFile(join(shelf, name, ABOUT), 'utf8')));
    return (await stat(join(shelf, name, IMAGE))).size === about.length ? about : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export async function keepDisk(
  shelf: string,
  name: string,
  { dir, control }: { dir: string; control: string },
  { maxBytes }: { maxBytes: number },
): Promise<{ bytes: number } | null> {
  const there = await keptDisk(shelf, name);
  if (there !== null) return there;
  const below = (await readStack(dir))?.below ?? [];
  const { blocks, bfree, bsize, files, ffree } = await statfs(join(dir, DISK));
  const about: About = {
    bytes: (blocks - bfree) * bsize,
    entries: files - ffree,
    length: (await stat(join(dir, IMAGE))).size,
    megabytes: Math.round((await stat(join(dir, IMAGE))).size / 2 ** 20),
    below: below.map((one) => one.name),
  };
  if (below[0] !== undefined) {
    const lower = await keptDisk(shelf, below[0].name);
    if (lower === null || below.length >= MOST_BELOW) return null;
    if (await changedLinks(dir)) return null;
    about.bytes += lower.bytes;
    about.entries += lower.entries;
  }
  // An archive counts exactly, and reports what is too much.
  if (about.bytes > maxBytes || about.entries > MOST_ENTRIES) return null;
  await mkdir(join(shelf, KEPT_ASIDE), { recursive: true, mode: 0o700 });
  const free = await statfs(shelf);
  if (free.bavail * free.bsize < about.bytes + RESERVE_BYTES) return null;
  const aside = join(shelf, KEPT_ASIDE, randomUUID());
  await mkdir(aside, { mode: 0o700 });
  try {
    await copyDisk(dir, IMAGE, join(aside, IMAGE));
    for (const file of SHELL) await copyFile(join(control, file), join(aside, file)).catch(unlessMissing);
    await writeFile(join(aside, ABOUT), JSON.stringify(about), { mode: 0o600 });
    // All at once, so that the host's journal writes them together.
    await Promise.all([...(await readdir(aside)), '.'].map((file) => synced(join(aside, file))));
    // An existing folder there is incomplete.
    if ((await keptDisk(shelf, name)) === null) await rm(join(shelf, name), { recursive: true, force: true });
    await rename(aside, join(shelf, name));
    await synced(shelf);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    // Another worker was faster, with the same content.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
  return about;
}

/**
 * Makes and mounts a run's disk from a kept one, once; its shell starts where the other's stopped.
 * Copies small disks, and where blocks can be shared; else stacks. False: it has started before.
 * Throws InfrastructureError.
 */
export async function restoreDisk(
  shelf: string,
  name: string,
  { dir, control }: { dir: string; control: string },
): Promise<boolean> {
  if (existsSync(join(control, BEGUN))) return false;
  const about = await keptDisk(shelf, name);
  if (about === null)
    throw new InfrastructureError(`${CANNOT_UNPACK}: its disk ${name} is not on this host, or damaged`);
  const made = await readStack(dir);
  if (made?.restored !== name || (made.below.length === 0 && !existsSync(join(dir, IMAGE)))) {
    // Nothing runs yet on what another attempt may have left.
    await dropDisk(dir);
    await makeDisk(shelf, name, about, dir);
  }
  // Mounts it: a copy already exists here.
  await ensureDisk(dir, about.megabytes);
  for (const file of SHELL) await copyFile(join(shelf, name, file), join(control, file)).catch(unlessMissing);
  // Last: from here on the shell may start.
  await writeFile(join(control, BEGUN), '', { mode: 0o600 });
  return true;
}

/** Can be repeated: writes its record of the source last, after the copy. */
async function makeDisk(shelf: string, name: string, about: About, dir: string): Promise<void> {
  const image = join(shelf, name, IMAGE);
  const aside = join(dir, `${IMAGE}.${randomUUID()}`);
  const copied = about.below.length === 0 && (await copiedTo(image, aside));
  if (copied) {
    // Not by a rename: another process may have put one there, and mounted it.
    await link(aside, join(dir, IMAGE)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  }
  await rm(aside, { force: true });
  await writeStack(dir, { restored: name, below: copied ? [] : await lowers(shelf, name, about) });
}

async function copiedTo(image: string, aside: string): Promise<boolean> {
  if (await shareImage(image, aside)) return true;
  if ((await stat(image)).blocks * 512 > COPIED_BYTES) return false;
  await copyImage(image, aside);
  return true;
}

async function lowers(shelf: string, name: string, { below }: About): Promise<Lower[]> {
  return await Promise.all(
    [name, ...below].map(async (one) => ({
      name: one,
      image: join(shelf, one, IMAGE),
      standsOnOthers: ((await aboutIt(shelf, one))?.below.length ?? 0) > 0,
    })),
  );
}

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function unlessMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
