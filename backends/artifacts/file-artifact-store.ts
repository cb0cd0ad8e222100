import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactStore, OldArtifact } from '../../domain/ports/artifact-store.js';

/** Below its store's folder, or prefix. */
export const artifactName = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}`;
export const artifactPath = (dir: string, sha256: string): string => join(dir, artifactName(sha256));

/** Artifacts as files `<dir>/<first two>/<sha256>`, written aside and renamed, so never incomplete. */
export function createFileArtifactStore(dir: string): ArtifactStore {
  /** Touch an existing artifact, so that `bench prune` spares it until its row is written. */
  const renewed = (path: string): Promise<boolean> =>
    utimes(path, new Date(), new Date()).then(
      () => true,
      // Another user's file cannot be touched, but it exists.
      (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
    );
  const newAside = async (): Promise<string> => {
    await mkdir(join(dir, ASIDE), { recursive: true });
    return join(dir, ASIDE, randomUUID());
  };
  const keep = async (aside: string, sha256: string): Promise<void> => {
    await mkdir(join(dir, sha256.slice(0, 2)), { recursive: true });
    await rename(aside, artifactPath(dir, sha256));
  };
  return {
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (await renewed(artifactPath(dir, sha256))) return sha256;
      const aside = await newAside();
      try {
        await writeFile(aside, bytes);
        await keep(aside, sha256);
      } catch (error) {
        // Do not leave a partial file on a full disk.
        await rm(aside, { force: true });
        throw error;
      }
      return sha256;
    },

    async putStream(content) {
      const aside = await newAside();
      try {
        const hash = createHash('sha256');
        let bytes = 0;
        const file = await open(aside, 'wx', 0o600);
        try {
          for await (const chunk of content) {
            hash.update(chunk);
            bytes += chunk.length;
            for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
          }
          await file.sync();
        } finally {
          await file.close();
        }
        const sha256 = hash.digest('hex');
        await keep(aside, sha256);
        return { sha256, bytes };
      } catch (error) {
        await rm(aside, { force: true });
        throw error;
      }
    },

    async get(sha256) {
      const bytes = await readFile(artifactPath(dir, sha256)).catch(nullIfMissing);
      return bytes !== null && createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes : null;
    },

    async check(sha256) {
      const hash = createHash('sha256');
      let bytes = 0;
      try {
        for await (const chunk of createReadStream(artifactPath(dir, sha256)) as AsyncIterable<Buffer>) {
          hash.update(chunk);
          bytes += chunk.length;
        }
      } catch (error) {
        return nullIfMissing(error);
      }
      return hash.digest('hex') === sha256 ? bytes : null;
    },

    has: (sha256, bytes) =>
      stat(artifactPath(dir, sha256)).then(
        ({ size }) => size === bytes,
        () => false,
      ),

    discard: (sha256) => rm(artifactPath(dir, sha256), { force: true }),

    open: (sha256) => createReadStream(artifactPath(dir, sha256)),

    link: () => Promise.resolve(null),

    async *storedBefore(before) {
      for (const shelf of await readdir(dir).catch(() => [])) {
        const names = /^[0-9a-f]{2}$/.test(shelf) || shelf === ASIDE ? await readdir(join(dir, shelf)) : [];
        for (const name of names) {
          const sha256 = /^[0-9a-f]{64}$/.test(name) && name.startsWith(shelf) ? name : null;
          if (sha256 === null && shelf !== ASIDE) continue;
          const file = await stat(join(dir, shelf, name)).catch(() => null);
          if (file?.isFile() === true && file.mtime < before)
            yield { name: join(shelf, name), sha256, bytes: file.size } satisfies OldArtifact;
        }
      }
    },

    async remove(name, before) {
      const file = await stat(join(dir, name)).catch(() => null);
      if (file === null || file.mtime >= before) return false;
      await rm(join(dir, name), { force: true });
      return true;
    },
  };
}

/** Unfinished writes; old ones were interrupted. */
const ASIDE = 'partial';

function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
