import { randomBytes } from 'node:crypto';
import { type ArtifactLocation, describeLocation } from '../../domain/home/artifact-location.js';
import { BenchError } from '../../domain/errors.js';
import { artifactName } from './file-artifact-store.js';
import { openArtifactStore } from './open-artifact-store.js';
import { storeProblem } from './s3-errors.js';

/** Puts, reads and deletes an object, as a run will. A folder needs no check. Throws BenchError. */
export async function checkArtifactStore(location: ArtifactLocation): Promise<void> {
  if (location.kind === 'folder') return;
  const store = openArtifactStore(location);
  const bytes = randomBytes(32);
  let back: Buffer | null;
  try {
    const sha256 = await store.put(bytes);
    back = await store.get(sha256);
    await store.remove(artifactName(sha256), new Date(Date.now() + 3_600_000));
  } catch (error) {
    throw storeProblem((error as Error).cause ?? error, location);
  }
  if (back?.equals(bytes) !== true)
    throw new BenchError(
      'services',
      `the artifact store ${describeLocation(location)} does not return what was stored`,
      {
        code: 'artifacts.unavailable',
        remedy: 'do not use it',
      },
    );
}
