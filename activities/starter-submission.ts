import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SubmissionFile } from '../domain/ports/sandbox-port.js';
import type { SubmissionContract } from '../domain/run/submission-contract.js';

/** All files equal the starter's. Hashes of the baseline's runs identify its submissions. */
export async function isStarter(
  taskDir: string,
  contract: Pick<SubmissionContract, 'files' | 'optional' | 'folders' | 'whole'>,
  submitted: readonly SubmissionFile[],
): Promise<boolean> {
  // The whole folder is one archive, with times of its own.
  if (contract.whole === true || submitted.length === 0) return false;
  const starter = join(taskDir, 'starter');
  // In order: most submissions differ in their first file.
  for (const { path, bytes } of submitted) {
    const original = await readFile(join(starter, path)).catch(() => null);
    if (original === null || !bytes.equals(original)) return false;
  }
  const paths = new Set(submitted.map(({ path }) => path));
  const there = await readdir(starter, { recursive: true, withFileTypes: true });
  return there
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(starter.length + 1))
    .every((path) => paths.has(path) || !isTaken(contract, path));
}

const isTaken = (
  { files, optional, folders }: Pick<SubmissionContract, 'files' | 'optional' | 'folders'>,
  path: string,
): boolean =>
  files.includes(path) ||
  folders.some((folder) => path.startsWith(`${folder}/`)) ||
  optional.some((pattern) => fits(pattern, path));

/** `*` stands for anything in the last part. */
function fits(pattern: string, path: string): boolean {
  const [start = '', ...parts] = pattern.split('*');
  if (parts.length === 0) return pattern === path;
  const folder = pattern.slice(0, pattern.lastIndexOf('/') + 1);
  if (!path.startsWith(folder) || path.slice(folder.length).includes('/') || !path.startsWith(start)) return false;
  let from = start.length;
  for (const [nth, part] of parts.entries()) {
    const at = nth === parts.length - 1 ? path.length - part.length : path.indexOf(part, from);
    if (at < from || !path.startsWith(part, at)) return false;
    from = at + part.length;
  }
  return true;
}
