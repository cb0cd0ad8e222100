import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../domain/errors.js';

/** By-products of running Python in a task's folder: neither hashed nor copied. */
const isByProduct = (name: string): boolean => name === '__pycache__' || name.endsWith('.pyc') || name === '.DS_Store';

export interface FolderFile {
  /** Relative, with forward slashes. */
  path: string;
  executable: boolean;
}

/** All regular files below a folder, in one order on every machine. Links and devices are refused: a hash must not depend on what they point to. */
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
          remedy: 'Replace it by a copy of what it stands for.',
        });
      }
    }
  };
  visit('');
  return files.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

/** SHA-256 over every file's relative path, executable bit and bytes, hex. */
export function hashFolder(dir: string): string {
  const hash = createHash('sha256');
  for (const file of folderFiles(dir)) {
    const bytes = readFileSync(join(dir, file.path));
    hash.update(`${file.path}\0${file.executable ? 'x' : '-'}\0${bytes.length}\0`);
    hash.update(bytes);
  }
  return hash.digest('hex');
}
