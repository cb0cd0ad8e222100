import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderFiles } from '../../shell/folder-files.js';
import { tarBytes } from '../tar-bytes.js';

/** A task's tests as the folder /tests of a container, with these permissions. */
export async function testsArchive(taskDir: string, mode: number): Promise<Buffer> {
  const dir = join(taskDir, 'evaluator', 'tests');
  const files = await folderFiles(dir);
  const folders = new Set<string>();
  for (const { path } of files)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      folders.add(`tests/${path.slice(0, at)}`);
  return await tarBytes([
    { name: 'tests', mode, bytes: null },
    ...[...folders].sort().map((name) => ({ name, mode: 0o755, bytes: null })),
    ...(await Promise.all(
      files.map(async ({ path, executable }) => ({
        name: `tests/${path}`,
        mode: executable || path.endsWith('.sh') ? 0o755 : 0o644,
        bytes: await readFile(join(dir, path)),
      })),
    )),
  ]);
}
