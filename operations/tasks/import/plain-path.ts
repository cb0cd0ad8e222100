import { copyFileSync, constants, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export type PlainPath = { kind: 'file' | 'folder' | 'missing' } | { kind: 'refused'; part: string; reason: string };

/** Follows no link at any depth: it would make the import read or write outside the folder. */
export function plainPath(root: string, path: string): PlainPath {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (path.startsWith('/') || parts.includes('..'))
    return { kind: 'refused', part: path, reason: 'points outside of the folder' };
  let kind: 'file' | 'folder' = 'folder';
  for (const [nth] of parts.entries()) {
    const part = parts.slice(0, nth + 1).join('/');
    // As for a file that a path names as a folder.
    if (kind === 'file') return { kind: 'missing' };
    const stat = lstatSync(join(root, part), { throwIfNoEntry: false });
    if (stat === undefined) return { kind: 'missing' };
    if (stat.isSymbolicLink())
      return { kind: 'refused', part, reason: 'a link, which may point outside of the folder' };
    if (!stat.isFile() && !stat.isDirectory()) return { kind: 'refused', part, reason: 'neither a file nor a folder' };
    kind = stat.isFile() ? 'file' : 'folder';
  }
  return { kind };
}

/** Copies files and folders to a new folder. Throws at anything else; overwrites nothing. */
export function copyPlainFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const { name } of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, name), join(to, name)];
    const found = plainPath(from, name);
    if (found.kind === 'folder') copyPlainFolder(source, target);
    else if (found.kind === 'file') copyFileSync(source, target, constants.COPYFILE_EXCL);
    else throw new Error(`${source} is not a plain file`);
  }
}
