import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Path of a file for containers to mount, named by its hash, so that it never changes. */
export async function mountedFile(dir: string, name: string, text: string): Promise<string> {
  const path = join(dir, `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`);
  if (existsSync(path)) return path;
  await mkdir(dir, { recursive: true, mode: 0o755 });
  const aside = `${path}.${randomUUID()}`;
  await writeFile(aside, text, { mode: 0o444 });
  await rename(aside, path);
  return path;
}
