import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { BenchError } from '../domain/errors.js';

/**
 * Readers see the old file or the new one. Throws BenchError (usage), which names the `field` that
 * chose the file, if it cannot be written.
 */
export async function writeWhole(path: string, text: string, field = 'output'): Promise<string> {
  const file = resolve(path);
  await throughAside(file, field, async (aside) => {
    await writeFile(aside, text, { flag: 'wx' });
    await rename(aside, file);
  });
  return file;
}

/** Throws the same before anything is computed. */
export const checkWritable = (path: string, field = 'output'): Promise<void> =>
  throughAside(resolve(path), field, (aside) => writeFile(aside, '', { flag: 'wx' }));

async function throughAside(file: string, field: string, write: (aside: string) => Promise<void>): Promise<void> {
  const aside = join(dirname(file), `.${basename(file)}.${randomBytes(4).toString('hex')}`);
  try {
    refuseOtherKinds(file);
    await write(aside);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const reason =
      code === 'ENOENT' && !existsSync(dirname(file))
        ? `there is no folder ${dirname(file)}`
        : cause instanceof Error
          ? cause.message
          : String(cause);
    throw new BenchError('usage', `${file} cannot be written: ${reason}`, {
      code: 'file.unwritable',
      remedy: 'Choose another file, or create its folder first.',
      fields: { [field]: '<file>' },
      cause,
    });
  } finally {
    await rm(aside, { force: true }).catch(() => undefined);
  }
}

/** Renaming would replace a device or a pipe for every program. */
function refuseOtherKinds(file: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile())
    throw new Error(there.isDirectory() ? 'it is a folder' : 'it is a device or a pipe');
}
