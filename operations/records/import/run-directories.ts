import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import { parseRunDirectory, type RunDirectoryName } from '../../../domain/mlgym/run-directory.js';
import { kindInside, leadsOut } from './inside-folder.js';
import { UnreadableFile } from './unreadable-file.js';

export const RESULTS = 'results.json';
export const ARGUMENTS = 'args.yaml';

/** A folder in which MLGym left a run: each of its files may be missing. */
export interface RunDirectory {
  path: string;
  /** The folder's name without its parents. */
  source: string;
  /** Null: the name does not say which model and task. */
  name: RunDirectoryName | null;
  trajectory: string | null;
  /** Trajectories that are not read. */
  others: string[];
  results: boolean;
  args: boolean;
}

const MOST_LEVELS = 10;

/** Run directories at and below the paths, sorted by name. Throws BenchError (not_found). */
export async function findRunDirectories(paths: readonly string[]): Promise<RunDirectory[]> {
  const found = new Map<string, RunDirectory>();
  const seen = new Set<string>();
  const roots: string[] = [];
  for (const given of paths) {
    const path = resolve(given);
    const known = await stat(path).catch(() => null);
    if (known === null || !known.isDirectory())
      throw new BenchError('not_found', `${given}: ${known === null ? 'no such folder' : 'not a folder'}`, {
        code: 'file.not_found',
        remedy: 'Give run directories of MLGym, or a folder that contains some at any depth.',
      });
    roots.push(path);
  }
  for (const path of roots)
    for await (const directory of walk(roots, path, 0, seen)) found.set(directory.path, directory);
  return [...found.values()];
}

/** Follows links; null: neither file nor folder, or a broken link. Throws BenchError. */
async function kindOf(roots: readonly string[], path: string, entry: Dirent): Promise<'file' | 'folder' | null> {
  if (!entry.isSymbolicLink()) return entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : null;
  const link = join(path, entry.name);
  const kinds = await Promise.all(roots.map((root) => kindInside(root, link)));
  const inside = kinds.find((kind) => kind !== 'outside');
  if (inside === undefined) throw leadsOut(roots[0] ?? path, link);
  return inside;
}

/** `seen`: visited folders, links resolved, so that circular links end. */
async function* walk(
  roots: readonly string[],
  path: string,
  level: number,
  seen: Set<string>,
): AsyncGenerator<RunDirectory> {
  const real = await realpath(path).catch(() => path);
  if (seen.has(real)) return;
  seen.add(real);
  const entries = (await readdir(path, { withFileTypes: true }).catch(() => [])).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const kinds = await Promise.all(entries.map((entry) => kindOf(roots, path, entry)));
  const named = (kind: 'file' | 'folder') => entries.filter((_, at) => kinds[at] === kind).map(({ name }) => name);
  const [files, folders] = [named('file'), named('folder')];
  const source = basename(path);
  const name = parseRunDirectory(source);
  const trajectories = files.filter((file) => file.endsWith('.traj'));
  const [results, args] = [files.includes(RESULTS), files.includes(ARGUMENTS)];
  // Named like a run directory: it is refused as empty.
  const looksLikeOne = /^metagen-.+__.+_run_\d+$/.test(source);
  if (trajectories.length > 0 || results || looksLikeOne) {
    const own = `${name?.task ?? ''}.traj`;
    const trajectory = trajectories.includes(own) ? own : (trajectories[0] ?? null);
    yield {
      path,
      source,
      name,
      trajectory,
      others: trajectories.filter((file) => file !== trajectory),
      results,
      args,
    };
    return;
  }
  if (level < MOST_LEVELS) for (const folder of folders) yield* walk(roots, join(path, folder), level + 1, seen);
}

/** SHA-256 over the directory's name and the read files. Throws UnreadableFile. */
export async function contentHash(directory: RunDirectory): Promise<string> {
  const hash = createHash('sha256').update(`${directory.source}\0`);
  const files = [
    ...(directory.trajectory === null ? [] : [directory.trajectory]),
    ...(directory.results ? [RESULTS] : []),
    ...(directory.args ? [ARGUMENTS] : []),
  ];
  for (const file of files) {
    const own = createHash('sha256');
    try {
      for await (const bytes of createReadStream(join(directory.path, file), { highWaterMark: 1 << 20 }))
        own.update(bytes as Buffer);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new UnreadableFile(file, '', 'unreadable', `cannot be read: ${code ?? message}`);
    }
    hash.update(`${file}\0${own.digest('hex')}\0`);
  }
  return hash.digest('hex');
}
