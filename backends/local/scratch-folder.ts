import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type Mark, markFor } from '../mark.js';

const noteSchema = z.object({ home: z.string(), maker: z.string(), until: z.number() });

const noteOf = (dir: string): string => `${dir}${NOTE_SUFFIX}`;
export const NOTE_SUFFIX = '.maker';
const ASIDE = '.maker-';

/** Records the owner of a temporary folder before the folder is made. */
export async function noteScratchFolder(dir: string, home: string, limitMs: number): Promise<void> {
  await mkdir(dirname(dir), { recursive: true });
  // Written atomically: a sweep of leftovers may read it at any time.
  const aside = join(dirname(dir), `${ASIDE}${randomBytes(8).toString('hex')}`);
  await writeFile(aside, JSON.stringify({ home, ...(await markFor(limitMs)) }), { flag: 'wx', mode: 0o600 });
  try {
    await rename(aside, noteOf(dir));
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

export async function removeScratchFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  await rm(noteOf(dir), { force: true });
}

/**
 * Null: the folder exists without a note; `gone`: it was made or removed just now. A note exists
 * before its folder and outlives it, so only a foreign folder lacks one.
 */
export async function noteOfFolder(dir: string): Promise<(Mark & { home: string }) | null | 'gone'> {
  const before = await identityOf(dir);
  const note = await readNote(dir);
  if (note !== null) return note;
  return before !== null && before === (await identityOf(dir)) ? null : 'gone';
}

const identityOf = (dir: string): Promise<string | null> =>
  lstat(dir, { bigint: true }).then(
    ({ ino, birthtimeNs }) => `${ino}/${birthtimeNs}`,
    () => null,
  );

async function readNote(dir: string): Promise<(Mark & { home: string }) | null> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(noteOf(dir), 'utf8')));
  } catch {
    return null;
  }
}
