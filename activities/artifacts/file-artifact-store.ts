import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile, access } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactStore } from '../../domain/ports/artifact-store.js';

/** Artifacts as files under `<home>/artifacts/<first two>/<sha256>`, written aside and renamed: never half there. */
export function createFileArtifactStore(dir: string): ArtifactStore {
  const place = (sha256: string): string => join(dir, sha256.slice(0, 2), sha256);
  return {
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const path = place(sha256);
      try {
        await access(path);
        return sha256;
      } catch {
        await mkdir(join(dir, sha256.slice(0, 2)), { recursive: true });
      }
      const aside = `${path}.${randomUUID()}`;
      await writeFile(aside, bytes);
      await rename(aside, path);
      return sha256;
    },
    get: (sha256) => readFile(place(sha256)),
  };
}
