import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ASIDE } from './file-artifact-store.js';

export interface StoredFile {
  path: string;
  bytes: number;
}

/**
 * Files of an artifact store that no row needs and that are older than `before`: rows of newer ones may not be written yet.
 * Files that do not belong to the store are ignored.
 */
export async function unneededArtifacts(dir: string, needed: ReadonlySet<string>, before: Date): Promise<StoredFile[]> {
  const found: StoredFile[] = [];
  const look = async (path: string): Promise<void> => {
    const file = await stat(path).catch(() => null);
    if (file?.isFile() === true && file.mtime < before) found.push({ path, bytes: file.size });
  };
  for (const shelf of await readdir(dir).catch(() => [])) {
    const names = /^[0-9a-f]{2}$/.test(shelf) || shelf === ASIDE ? await readdir(join(dir, shelf)) : [];
    for (const name of names) {
      const stored = /^[0-9a-f]{64}$/.test(name) && name.startsWith(shelf);
      if (shelf === ASIDE || (stored && !needed.has(name))) await look(join(dir, shelf, name));
    }
  }
  return found;
}

/** Returns those removed. A file stored again in the meantime stays. */
export async function removeArtifacts(files: readonly StoredFile[], before: Date): Promise<StoredFile[]> {
  const gone: StoredFile[] = [];
  for (const file of files) {
    const found = await stat(file.path).catch(() => null);
    if (found === null || found.mtime >= before) continue;
    await rm(file.path, { force: true });
    gone.push(file);
  }
  return gone;
}
