import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import { pack, type Pack } from 'tar-stream';
import { Readable } from 'node:stream';
import type { ArchiveRestore, SandboxSpec } from '../../domain/ports/sandbox-port.js';
import { MEMORY_FILE, memoryFile } from '../shell/stage-memory.js';
import { requireArchive, RESTORE_FILE } from '../shell/stage-restore.js';
import { CONTROL_INSIDE } from './sandbox-container.js';

/**
 * Copies starter files or snapshot, and the task's memory, into a container that never ran; its
 * supervisor reads them at its first start (starter.py). False: it ran before. Concurrent copies
 * are safe: each has its own folder, which is valid once its last entry exists.
 */
export async function stageIntoContainer(
  container: Docker.Container,
  { starterDir, memory, restore }: Pick<SandboxSpec, 'starterDir' | 'memory' | 'restore'>,
): Promise<boolean> {
  if (!(await neverRan(container))) return false;
  const archive = pack();
  const folder = `upload-${randomBytes(6).toString('hex')}`;
  archive.entry({ name: folder, type: 'directory', mode: 0o700 });
  if (memory !== undefined) archive.entry({ name: `${folder}/${MEMORY_FILE}`, mode: 0o600 }, memoryFile(memory));
  const content =
    restore === undefined
      ? fill(archive, starterDir, `${folder}/starter`)
      : fillFrom(archive, requireArchive(restore), `${folder}/${RESTORE_FILE}`);
  const filling = content.then(
    () => {
      archive.entry({ name: `${folder}/whole`, mode: 0o600 }, '');
      archive.finalize();
    },
    (error: unknown) => archive.destroy(error as Error),
  );
  try {
    await Promise.all([
      container.putArchive(archive as unknown as NodeJS.ReadableStream, { path: CONTROL_INSIDE }),
      filling,
    ]);
    return true;
  } catch (error) {
    // It started meanwhile, and removed our folder before the engine had written it.
    if (await neverRan(container)) throw error;
    return false;
  }
}

const fillFrom = (archive: Pack, restore: ArchiveRestore, name: string): Promise<void> =>
  pipeline(Readable.from(restore.open()), archive.entry({ name, mode: 0o600, size: restore.bytes }));

async function neverRan(container: Docker.Container): Promise<boolean> {
  const { State: state } = await container.inspect();
  return NEVER_RAN.includes(state.Status);
}

const NEVER_RAN = ['created', 'configured', 'initialized'];

/** Files and folders only: the supervisor accepts nothing else. */
async function fill(archive: Pack, dir: string, name: string): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    archive.entry({ name, type: 'directory', mode: 0o755 }, (error) => (error ? reject(error) : resolve())),
  );
  for (const child of (await readdir(dir)).sort()) {
    const path = join(dir, child);
    const stat = await lstat(path);
    if (stat.isDirectory()) await fill(archive, path, `${name}/${child}`);
    else if (stat.isFile())
      await pipeline(
        createReadStream(path),
        archive.entry({ name: `${name}/${child}`, size: stat.size, mode: stat.mode & 0o111 ? 0o755 : 0o644 }),
      );
  }
}
