import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { StoredArtifact } from '../../domain/ports/artifact-store.js';

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Digest of a stream read to its end; `use` gets each chunk on the way. */
export async function digestOf(
  chunks: AsyncIterable<Uint8Array>,
  use: (chunk: Uint8Array) => Promise<void> = () => Promise.resolve(),
): Promise<StoredArtifact> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
    await use(chunk);
  }
  return { sha256: hash.digest('hex'), bytes };
}

export async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
}
