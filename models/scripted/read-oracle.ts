import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecret } from '../../domain/task/secrets.js';
import type { OracleFile } from './policy.js';

/** Sorted by path; empty without that folder. */
export async function readOracle(taskDir: string): Promise<OracleFile[]> {
  const root = join(taskDir, 'oracle');
  const files: OracleFile[] = [];
  for (const { path, mode } of await filesBelow(root))
    files.push({ path, content: await readFile(join(root, path)), executable: (mode & 0o100) !== 0 });
  return files;
}

/** Except very small ones, whose content may occur by chance. */
export async function secretSizes(taskDir: string): Promise<number[]> {
  const files = await filesBelow(join(taskDir, 'evaluator'));
  return [...new Set(files.filter((file) => isSecret(file.path, file.size)).map(({ size }) => size))];
}

async function filesBelow(root: string): Promise<{ path: string; size: number; mode: number }[]> {
  const names = await readdir(root, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found = [];
  for (const path of names.sort()) {
    const { size, mode, isFile } = await lstat(join(root, path)).then((stat) => ({
      ...{ size: stat.size, mode: stat.mode, isFile: stat.isFile() },
    }));
    if (isFile && !/(^|\/)__pycache__\/|\.pyc$/.test(path)) found.push({ path, size, mode });
  }
  return found;
}
