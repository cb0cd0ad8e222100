import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export async function folderFiles(dir: string): Promise<{ path: string; executable: boolean }[]> {
  const files = [];
  for (const path of (await readdir(dir, { recursive: true })).sort()) {
    const stat = await lstat(join(dir, path));
    if (stat.isFile()) files.push({ path, executable: (stat.mode & 0o100) !== 0 });
  }
  return files;
}
