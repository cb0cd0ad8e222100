import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { BenchError } from '../../../domain/errors.js';
import { makeFolder } from '../../../services/make-folder.js';
import { checkWritable } from '../../write-whole.js';

/** The file has its name only once it is whole. BenchError (usage): it is there, or cannot be written. */
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

/** The same of a file that `write` makes under another name. */
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

/** A folder that may be there. BenchError (usage): it cannot be made. */
export function makeTarget(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

/** A new folder that has its name only once it is whole; what `write` leaves of it when it fails is removed. */
export async function writeNewFolder(
  target: string,
  partial: string,
  write: (partial: string) => Promise<void>,
): Promise<void> {
  try {
    await rm(partial, { recursive: true, force: true });
    makeFolder(partial);
    await write(partial);
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    throw unwritable(target, error);
  }
}

const OF_THE_DISK = ['ENOENT', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'EROFS', 'EISDIR', 'ENOTDIR', 'EXDEV', 'EIO'];

/** An error of the file system as one for people; any other as it is. */
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
