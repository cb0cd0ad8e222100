import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack, type Pack } from 'tar-stream';
import { InfrastructureError } from '../domain/errors.js';
import type { HomeLayout } from '../domain/home/layout.js';
import { relativeFile } from '../domain/text/relative-file.js';
import { placeInTask, type PreparedFile } from '../domain/task/data.js';
import { fileDigest, type FolderFile, folderFiles } from './folder-hash.js';
import { frozenData, frozenHash, linkData, putInPlace, STARTER } from './freeze-task.js';
import { MANIFEST, readManifest } from './prepared-data.js';

/** The folder's own files, equal on every machine; prepared data travel under their own hashes. */
export function archiveTask(dir: string): AsyncIterable<Uint8Array> {
  const apart = new Set((frozenData(dir) ?? []).map(placeInTask));
  const archive = pack();
  const files = folderFiles(dir).filter(({ path }) => !apart.has(path));
  void addAll(archive, dir, files).catch((error: unknown) => archive.destroy(error as Error));
  return archive as unknown as AsyncIterable<Uint8Array>;
}

async function addAll(archive: Pack, dir: string, files: readonly FolderFile[]): Promise<void> {
  for (const { path, executable } of files) {
    const from = join(dir, path);
    const { size } = statSync(from);
    const entry = archive.entry({ name: path, size, mode: executable ? 0o755 : 0o644, mtime: new Date(0) });
    await pipeline(createReadStream(from), entry);
  }
  archive.finalize();
}

export const dataOfFrozen = (dir: string): (PreparedFile & { from: string })[] =>
  (frozenData(dir) ?? []).map((file) => ({ ...file, from: join(dir, placeInTask(file)) }));

/**
 * Makes and checks a frozen folder. Takes data from this host's prepared ones, else from `open`.
 * InfrastructureError: something is missing or wrong; nothing is left then.
 */
export async function restoreTask(
  layout: HomeLayout,
  task: { id: string; hash: string },
  archive: AsyncIterable<Uint8Array>,
  open: (file: PreparedFile) => AsyncIterable<Uint8Array>,
): Promise<string> {
  const staging = join(layout.tasks, `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    // It holds evaluator files: only the owner may look into it.
    mkdirSync(staging, { recursive: true, mode: 0o700 });
    mkdirSync(join(staging, STARTER));
    await unpack(archive, staging);
    const here = preparedHere(layout, task.id);
    for (const file of frozenData(staging) ?? []) {
      const to = join(staging, relativeFile.parse(placeInTask(file)));
      const known = here.get(file.sha256);
      if (known !== undefined && fileDigest(known) === file.sha256) linkData(known, to);
      else await write(open(file), to, 0o644);
    }
    if (frozenHash(staging) !== task.hash) throw new Error('its bytes are not those that were stored');
    return putInPlace(layout, staging, task.hash);
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'a part of it is missing' : (error as Error).message;
    throw new InfrastructureError(
      `task ${task.id} (content ${task.hash.slice(0, 12)}) cannot be loaded from the artifact store: ${why}`,
      { cause: error },
    );
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function unpack(archive: AsyncIterable<Uint8Array>, dir: string): Promise<void> {
  const entries = extract();
  const reading = pipeline(Readable.from(archive), entries);
  // Reported below, by the loop or by `await reading`.
  reading.catch(() => undefined);
  for await (const entry of entries) {
    const { name, mode = 0, type } = entry.header;
    if (type !== 'file') throw new Error(`${name} is not a file, but a ${type ?? 'member of unknown type'}`);
    await write(entry, join(dir, relativeFile.parse(name)), (mode & 0o100) === 0 ? 0o644 : 0o755);
  }
  await reading;
}

async function write(content: AsyncIterable<unknown>, to: string, mode: number): Promise<void> {
  mkdirSync(dirname(to), { recursive: true });
  await pipeline(Readable.from(content), createWriteStream(to, { flags: 'wx', mode }));
}

/** By SHA-256, whichever version of the task made them. */
function preparedHere(layout: HomeLayout, taskId: string): Map<string, string> {
  const found = new Map<string, string>();
  const folder = join(layout.prepared, taskId);
  for (const version of existsSync(folder) ? readdirSync(folder) : []) {
    const dir = join(folder, version);
    if (existsSync(join(dir, MANIFEST)))
      for (const { path, sha256 } of readManifest(dir).files) found.set(sha256, join(dir, path));
  }
  return found;
}
