import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type Mark, markFor } from '../maker.js';

const noteSchema = z.object({ home: z.string(), maker: z.string(), until: z.number() });

/** Beside the folder, so that nothing of ours is in it. */
const noteOf = (dir: string): string => `${dir}${NOTE_SUFFIX}`;
export const NOTE_SUFFIX = '.maker';

/** Say whose a temporary folder will be, before it is made. */
export async function noteScratchFolder(dir: string, home: string, limitMs: number): Promise<void> {
  await mkdir(dirname(dir), { recursive: true });
  await rm(noteOf(dir), { force: true });
  await writeFile(noteOf(dir), JSON.stringify({ home, ...(await markFor(limitMs)) }), { flag: 'wx', mode: 0o600 });
}

export async function removeScratchFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  await rm(noteOf(dir), { force: true });
}

/** Null: nobody has said whose it is. */
export async function readNote(dir: string): Promise<(Mark & { home: string }) | null> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(noteOf(dir), 'utf8')));
  } catch {
    return null;
  }
}
