import { createHash, type Hash } from 'node:crypto';
import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../domain/errors.js';

/** By-products of running Python in a task's folder: neither hashed nor copied. */
const isByProduct = (name: string): boolean => name === '__pycache__' || name.endsWith('.pyc') || name === '.DS_Store';

export interface FolderFile {
  /** Relative, with forward slashes. */
  path: string;
  executable: boolean;
}

/** In the same order on every machine. Refuses links and devices, which would alter hashes. */
export function folderFiles(dir: string): FolderFile[] {
  const files: FolderFile[] = [];
  const visit = (relative: string): void => {
    for (const name of readdirSync(join(dir, relative))) {
      if (isByProduct(name)) continue;
      const path = relative === '' ? name : `${relative}/${name}`;
      const stat = lstatSync(join(dir, path));
      if (stat.isDirectory()) visit(path);
      else if (stat.isFile()) files.push({ path, executable: (stat.mode & 0o100) !== 0 });
      else {
        throw new BenchError('usage', `${join(dir, path)}: neither a regular file nor a folder`, {
          remedy: 'Replace it with a regular file.',
        });
      }
    }
  };
  visit('');
  return files.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

/** SHA-256 over each file's relative path, executable bit and bytes, hex; omits `except`. */
export function hashFolder(dir: string, except?: ReadonlySet<string>): string {
  const hash = createHash('sha256');
  for (const file of folderFiles(dir)) {
    if (except?.has(file.path) === true) continue;
    addFile(join(dir, file.path), (bytes) => {
      hash.update(`${file.path}\0${file.executable ? 'x' : '-'}\0${bytes}\0`);
      return hash;
    });
  }
  return hash.digest('hex');
}

export function fileDigest(path: string): string | null {
  const hash = createHash('sha256');
  try {
    addFile(path, () => hash);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return hash.digest('hex');
}

/** Read in pieces: data sets may exceed a buffer's maximum. */
function addFile(path: string, begin: (bytes: number) => Hash): void {
  const file = openSync(path, 'r');
  try {
    const hash = begin(fstatSync(file).size);
    const piece = Buffer.allocUnsafe(1 << 20);
    for (;;) {
      const length = readSync(file, piece);
      if (length === 0) return;
      hash.update(piece.subarray(0, length));
    }
  } finally {
    closeSync(file);
  }
}
