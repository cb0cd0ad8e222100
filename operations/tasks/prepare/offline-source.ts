import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import type { DataSource } from '../../../domain/task/data.js';

/** Files at any depth, links followed once: a hub's cache links its snapshots to its blobs. */
function filesBelow(folder: string): { path: string; bytes: number }[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return entries.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true ? [{ path, bytes: found.size }] : [];
  });
}

/** The path after `…/resolve/<revision>/`: a hub's cache has it in `snapshots/<revision>/`. */
const pathInRepository = (url: string): string | null => {
  const found = /\/resolve\/[^/]+\/([^?#]+)/.exec(url)?.[1];
  return found === undefined ? null : decodeURIComponent(found);
};

/**
 * Each source's path in a folder: by name, or in Hugging Face's cache by checksum among `blobs` or
 * by path among `snapshots`. BenchError: names all missing ones. Checksums are verified on use.
 */
export function offlineSources(folder: string, sources: readonly DataSource[]): ReadonlyMap<string, string> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new BenchError('usage', `${folder} is not a folder`, {
      code: 'download.failed',
      remedy: 'Name a folder with the sources as plain files, or a cache of Hugging Face (its `hub` folder).',
      fields: { data: '<folder>' },
    });
  const files = filesBelow(folder);
  const places = new Map<string, string>();
  for (const source of sources) {
    const inRepository = source.urls.map(pathInRepository).filter((path) => path !== null);
    const fits = files.filter(
      ({ path }) =>
        basename(path) === source.name ||
        basename(path) === source.sha256 ||
        inRepository.some((wanted) => /\/snapshots\/[^/]+\//.test(path) && path.endsWith(`/${wanted}`)),
    );
    // Prefer the declared size; the checksum refuses a wrong one.
    const place = (fits.find(({ bytes }) => bytes === source.bytes) ?? fits[0])?.path;
    if (place !== undefined) places.set(source.name, place);
  }
  const missing = sources.filter(({ name }) => !places.has(name));
  if (missing.length > 0)
    throw new BenchError(
      'failed',
      `${folder} lacks ${missing.map(({ name, bytes, sha256 }) => `${name} (${bytes} bytes, SHA-256 ${sha256})`).join(', ')}`,
      {
        code: 'download.failed',
        remedy: `Put ${missing.length === 1 ? 'it' : 'them'} there under ${missing.length === 1 ? 'this name' : 'these names'}, or prepare without this folder where there is a network.`,
        fields: { data: '<folder>' },
      },
    );
  return places;
}
