import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { BenchError } from '../domain/errors.js';

/** Writes a file atomically: readers see the old file or the new one. Throws BenchError (usage) if it cannot be written. */
export async function writeWhole(path: string, text: string): Promise<string> {
  const file = resolve(path);
  const aside = join(dirname(file), `.${basename(file)}.${randomBytes(4).toString('hex')}`);
  try {
    await writeFile(aside, text, { flag: 'wx' });
    await rename(aside, file);
    return file;
  } catch (cause) {
    await rm(aside, { force: true }).catch(() => undefined);
    const code = (cause as NodeJS.ErrnoException).code;
    const reason =
      code === 'ENOENT'
        ? `there is no folder ${dirname(file)}`
        : code === 'EISDIR'
          ? 'it is a folder'
          : cause instanceof Error
            ? cause.message
            : String(cause);
    throw new BenchError('usage', `${file} cannot be written: ${reason}`, {
      code: 'file.unwritable',
      remedy: 'Choose another file, or create its folder first.',
      fields: { output: '<file>' },
      cause,
    });
  }
}
