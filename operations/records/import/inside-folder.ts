import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import { UnreadableFile } from './unreadable-file.js';

/**
 * A foreign folder is read without following links out of it: they would store files of this
 * machine as its own. Null: a broken link, or neither a file nor a folder, which might never end.
 */
export async function kindInside(root: string, path: string): Promise<'file' | 'folder' | 'outside' | null> {
  const [folder, real] = await Promise.all([realpath(root), realpath(path).catch(() => null)]);
  if (real === null) return null;
  if (real !== folder && !real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return 'outside';
  const at = await stat(real).catch(() => null);
  return at?.isFile() === true ? 'file' : at?.isDirectory() === true ? 'folder' : null;
}

export const leadsOut = (root: string, path: string): BenchError =>
  new BenchError('usage', `${path} is a link that points outside of ${root}`, {
    code: 'import.unreadable',
    remedy: 'Give its target as well, or remove the link.',
  });

/** A file of a folder that is imported as a whole. Throws UnreadableFile. */
export async function requireFileInside(root: string, file: string): Promise<void> {
  const kind = await kindInside(root, join(root, file));
  if (kind === 'outside') throw new UnreadableFile(file, '', 'unreadable', 'a link that points outside of the folder');
  if (kind !== 'file') throw new UnreadableFile(file, '', 'unreadable', 'not a file');
}
