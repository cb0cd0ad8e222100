import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ArtifactStore } from '../ports/artifact-store.js';
import type { SubmissionFile } from '../ports/sandbox-port.js';

const manifestSchema = z.array(z.tuple([z.string(), z.string()]));

/** Each file under its own hash, and a manifest whose SHA-256 names the submission. */
export async function storeSubmission(artifacts: ArtifactStore, files: SubmissionFile[]): Promise<string> {
  const manifest: [string, string][] = [];
  for (const file of files) {
    await artifacts.put(file.bytes);
    manifest.push([file.path, createHash('sha256').update(file.bytes).digest('hex')]);
  }
  return artifacts.put(Buffer.from(JSON.stringify(manifest)));
}

/** Paths and hashes; null: the manifest is missing. */
export async function submissionFiles(
  artifacts: Pick<ArtifactStore, 'get'>,
  sha256: string,
): Promise<[path: string, sha256: string][] | null> {
  const manifest = await artifacts.get(sha256);
  return manifest === null ? null : manifestSchema.parse(JSON.parse(manifest.toString('utf8')));
}

/** Null: a file is missing. */
export async function readSubmission(artifacts: ArtifactStore, sha256: string): Promise<SubmissionFile[] | null> {
  const manifest = await submissionFiles(artifacts, sha256);
  if (manifest === null) return null;
  const files: SubmissionFile[] = [];
  for (const [path, hash] of manifest) {
    const bytes = await artifacts.get(hash);
    if (bytes === null) return null;
    files.push({ path, bytes });
  }
  return files;
}
