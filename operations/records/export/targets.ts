import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { BenchError } from '../../../domain/errors.js';
import { makeFolder } from '../../../services/make-folder.js';
import { checkWritable } from '../../write-whole.js';

/** The file appears once it is whole. BenchError (usage): it exists, or cannot be written. */
export async function writeNew(target: string, texts: AsyncIterable<string>): Promise<void> {
  await writeNewBy(target, async (partial) => {
    const file = await open(partial, 'w');
    try {
      for await (const text of texts) await file.write(text);
    } finally {
      await file.close();
    }
  });
}

/** The same for a file that `write` makes under another name. */
export async function writeNewBy(target: string, write: (partial: string) => Promise<void>): Promise<void> {
  if (existsSync(target))
    throw new BenchError('usage', `${target} already exists`, {
      code: 'file.exists',
      remedy: 'Choose another file, or an empty folder.',
      fields: { output: '<path>' },
    });
  await checkWritable(target);
  const partial = `${target}.partial`;
  try {
    await write(partial);
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw unwritable(target, error);
  }
}

/** The folder may exist. BenchError (usage): it cannot be created. */
export function makeTarget(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

const OF_THE_DISK = ['ENOENT', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'EROFS', 'EISDIR', 'ENOTDIR', 'EXDEV', 'EIO'];

/** Converts an error of the file system; returns any other unchanged. */
export function unwritable(target: string, cause: unknown): unknown {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  if (cause instanceof BenchError || !OF_THE_DISK.includes(code)) return cause;
  return new BenchError('usage', `${target} cannot be written: ${message}`, {
    code: 'file.unwritable',
    remedy: 'Choose another place, or make it writable.',
    fields: { output: '<path>' },
    cause,
  });
}
