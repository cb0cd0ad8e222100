import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactStore, OldArtifact, StoredArtifact } from '../../domain/ports/artifact-store.js';
import { digestOf, sha256Of, writeWhole } from './digest.js';

/** Folder of unfinished writes; old ones were interrupted. */
const ASIDE = 'partial';

export const artifactName = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}`;
export const artifactPath = (dir: string, sha256: string): string => join(dir, artifactName(sha256));

/** Artifacts as files `<dir>/<first two>/<sha256>`, renamed into place, so never incomplete. */
export const createFileArtifactStore = (dir: string): ArtifactStore => ({
  put: (bytes) => put(dir, bytes),
  putStream: (content) => putStream(dir, content),
  async get(sha256) {
    const bytes = await readFile(artifactPath(dir, sha256)).catch(nullIfMissing);
    return bytes !== null && sha256Of(bytes) === sha256 ? bytes : null;
  },
  async check(sha256) {
    const found = await digestOf(createReadStream(artifactPath(dir, sha256))).catch(nullIfMissing);
    return found?.sha256 === sha256 ? found.bytes : null;
  },
  has: (sha256, bytes) =>
    stat(artifactPath(dir, sha256)).then(
      ({ size }) => size === bytes,
      () => false,
    ),
  discard: (sha256) => rm(artifactPath(dir, sha256), { force: true }),
  open: (sha256) => createReadStream(artifactPath(dir, sha256)),
  link: () => Promise.resolve(null),
  storedBefore: (before) => storedBefore(dir, before),
  async remove(name, before) {
    const file = await stat(join(dir, name)).catch(() => null);
    if (file === null || file.mtime >= before) return false;
    await rm(join(dir, name), { force: true });
    return true;
  },
});

async function put(dir: string, bytes: Uint8Array): Promise<string> {
  const sha256 = sha256Of(bytes);
  if (await renewed(artifactPath(dir, sha256))) return sha256;
  await throughAside(dir, async (aside) => {
    await writeFile(aside, bytes);
    return { sha256, bytes: bytes.length };
  });
  return sha256;
}

const putStream = (dir: string, content: AsyncIterable<Uint8Array>): Promise<StoredArtifact> =>
  throughAside(dir, async (aside) => {
    const file = await open(aside, 'wx', 0o600);
    try {
      const stored = await digestOf(content, (chunk) => writeWhole(file, chunk));
      await file.sync();
      return stored;
    } finally {
      await file.close();
    }
  });

/** The file that `write` leaves at its own path becomes an artifact or is removed. */
async function throughAside(dir: string, write: (aside: string) => Promise<StoredArtifact>): Promise<StoredArtifact> {
  await mkdir(join(dir, ASIDE), { recursive: true });
  const aside = join(dir, ASIDE, randomUUID());
  try {
    const stored = await write(aside);
    await mkdir(join(dir, stored.sha256.slice(0, 2)), { recursive: true });
    await rename(aside, artifactPath(dir, stored.sha256));
    return stored;
  } catch (error) {
    // Do not leave a partial file on a full disk.
    await rm(aside, { force: true });
    throw error;
  }
}

/** Touch an existing artifact, so that `bench prune` spares it until its row is written. */
const renewed = (path: string): Promise<boolean> =>
  utimes(path, new Date(), new Date()).then(
    () => true,
    // Another user's file cannot be touched, but it exists.
    (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
  );

async function* storedBefore(dir: string, before: Date): AsyncGenerator<OldArtifact> {
  for (const shelf of await readdir(dir).catch(() => [])) {
    const names = /^[0-9a-f]{2}$/.test(shelf) || shelf === ASIDE ? await readdir(join(dir, shelf)) : [];
    for (const name of names) {
      const sha256 = /^[0-9a-f]{64}$/.test(name) && name.startsWith(shelf) ? name : null;
      if (sha256 === null && shelf !== ASIDE) continue;
      const file = await stat(join(dir, shelf, name)).catch(() => null);
      if (file?.isFile() === true && file.mtime < before) yield { name: join(shelf, name), sha256, bytes: file.size };
    }
  }
}

function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
