import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { folderFiles } from '../../../catalog/index.js';
import { BenchError } from '../../../domain/errors.js';
import { plainPath } from './plain-path.js';
import type { DatasetConfig } from './mlgym-config.js';

/** Paths in the workspace → paths on this machine. */
export type WorkspaceFiles = Map<string, string>;

/** MLGym copies every local dataset into this folder of the workspace. */
export const DATA_FOLDER = 'data';

/** Common names of answer files. */
const SECRET_NAME =
  /^(answers?|ground[-_]?truths?|solutions?|test[-_]?(labels?|answers?|targets?)|labels?[-_]?test)\.[^/]+$/i;
/** Files for the evaluator alone whose names do not show it. */
const KNOWN_SECRETS: Readonly<Record<string, readonly string[]>> = { '3SATTime': ['data/dataset.pkl'] };

export interface LocalData {
  files: WorkspaceFiles;
  /** Datasets that were not found. */
  missing: DatasetConfig[];
  /** Possible places of each, for messages; the first is the best. */
  places: string[];
  /** A program of the checkout that seems to make a missing one. */
  maker: string | null;
}

/** Throws BenchError at a link on the way: it leads to something else. */
function isFolder(root: string, path: string): boolean {
  const found = plainPath(root, normalize(path));
  if (found.kind === 'refused')
    throw new BenchError('usage', `${join(root, found.part)}: ${found.reason}`, {
      remedy: 'Replace it with its target.',
    });
  return found.kind === 'folder';
}

/** The files of a task's local datasets, from the checkout or the caller's folder. */
export function findLocalData(
  checkout: string,
  given: string | undefined,
  datasets: readonly DatasetConfig[],
): LocalData {
  const found: LocalData = { files: new Map(), missing: [], places: [], maker: null };
  for (const dataset of datasets) {
    const path = dataset.data_path;
    const short = path.split('/').slice(1).join('/');
    const candidates = [
      ...(given === undefined ? [] : [path, short, basename(dirname(path))].map((one) => [given, one] as const)),
      [checkout, path] as const,
    ];
    const place = candidates
      .filter(([root, one]) => isFolder(root, one))
      .map(([root, one]) => join(root, one))
      .find((folder) => folderFiles(folder).length > 0);
    if (place === undefined) {
      found.missing.push(dataset);
      found.places.push(join(given ?? '<folder>', path));
      found.maker ??= makerBeside(checkout, path);
      continue;
    }
    for (const file of folderFiles(place)) found.files.set(`${DATA_FOLDER}/${file.path}`, join(place, file.path));
  }
  return found;
}

function makerBeside(checkout: string, path: string): string | null {
  const folder = join(dirname(path), '_helpers');
  if (!isFolder(checkout, folder)) return null;
  const program = readdirSync(join(checkout, folder)).find((name) => name.endsWith('.py'));
  return program === undefined ? null : join(folder, program);
}

/** Files hidden from agents: by name, `secret_files`, KNOWN_SECRETS, or the caller's choice. */
export function secretsAmong(
  files: Iterable<string>,
  task: { id: string; secretFiles: readonly string[] },
  given: readonly string[],
): string[] {
  const named = [...task.secretFiles, ...(KNOWN_SECRETS[task.id] ?? []), ...given];
  return [...files]
    .filter(
      (path) =>
        (path.startsWith(`${DATA_FOLDER}/`) && SECRET_NAME.test(basename(path))) ||
        named.some((name) => name === path || name.endsWith(`/${path}`)),
    )
    .sort();
}

/** Files of the starter with the content of a secret. */
export function copiesOfSecrets(starter: WorkspaceFiles, secrets: readonly string[]): string[] {
  const hash = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
  const hidden = new Set(secrets.map(hash));
  return hidden.size === 0 ? [] : [...starter].filter(([, path]) => hidden.has(hash(path))).map(([name]) => name);
}
