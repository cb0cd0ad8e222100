import { existsSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { BenchError } from '../../../domain/errors.js';
import { makeFolder } from '../../../services/make-folder.js';

/** The file has its name only once it is whole. BenchError (usage): it is there, or cannot be written. */
export async function writeNew(target: string, texts: AsyncIterable<string>): Promise<void> {
  if (existsSync(target))
    throw new BenchError('usage', `${target} already exists`, {
      code: 'file.exists',
      remedy: 'Choose another file.',
      fields: { output: '<path>' },
    });
  const file = await open(`${target}.partial`, 'w').catch((cause: unknown) => {
    throw new BenchError('usage', `${target} cannot be written: ${(cause as Error).message}`, {
      code: 'file.unwritable',
      remedy: 'Choose another file, or create its folder first.',
      fields: { output: '<path>' },
      cause,
    });
  });
  try {
    for await (const text of texts) await file.write(text);
  } finally {
    await file.close();
  }
  await rename(`${target}.partial`, target);
}

/** A folder that may be there. BenchError (usage): it cannot be made. */
export function makeTarget(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new BenchError('usage', `${folder} cannot be written: ${(cause as Error).message}`, {
      code: 'file.unwritable',
      remedy: 'Choose another folder.',
      fields: { output: '<path>' },
      cause,
    });
  }
}
