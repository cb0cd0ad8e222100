import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_UID } from '../../domain/limits.js';
import { tarBytes, type TarEntry } from './tar-bytes.js';

/** A task's starter folder as an archive whose files belong to the agent. Anything but files and folders is left out. */
export async function starterArchive(starterDir: string): Promise<Buffer> {
  return await tarBytes(await entriesOf(starterDir, ''));
}

async function entriesOf(dir: string, prefix: string): Promise<TarEntry[]> {
  const entries: TarEntry[] = [];
  for (const name of (await readdir(dir)).sort()) {
    const path = join(dir, name);
    const stat = await lstat(path);
    const owner = { name: `${prefix}${name}`, uid: AGENT_UID, gid: AGENT_UID };
    if (stat.isDirectory()) {
      entries.push({ ...owner, mode: 0o755, bytes: null });
      entries.push(...(await entriesOf(path, `${prefix}${name}/`)));
    } else if (stat.isFile()) {
      entries.push({ ...owner, mode: (stat.mode & 0o111) === 0 ? 0o644 : 0o755, bytes: await readFile(path) });
    }
  }
  return entries;
}
