import { createHash } from 'node:crypto';
import { describeLocation } from '../../domain/home/artifact-location.js';
import { InfrastructureError } from '../../domain/errors.js';
import type { ArtifactStore } from '../../domain/ports/artifact-store.js';
import { digestOf, sha256Of } from './digest.js';
import { explained, head, keyOf, read, removeObject, type S3Bucket, s3Bucket } from './s3-bucket.js';
import type { S3Location } from './s3-client.js';
import { remove, storedBefore } from './s3-leftovers.js';
import { put, putStream } from './s3-upload.js';

/** Without a byte for this long, a request is retried and a read fails. */
const SILENCE_MS = 60_000;

/** Artifacts as objects `<prefix>/<first two>/<sha256>`: puts and multipart uploads are atomic. */
export function createS3ArtifactStore(location: S3Location, { silenceMs = SILENCE_MS } = {}): ArtifactStore {
  const bucket = s3Bucket(location, silenceMs);
  return {
    put: (bytes) => put(bucket, bytes),
    putStream: (content, brief) => putStream(bucket, content, brief),
    get: (sha256) => get(bucket, sha256),
    async check(sha256) {
      const chunks = await read(bucket, sha256);
      const found = chunks === null ? null : await digestOf(chunks);
      return found?.sha256 === sha256 ? found.bytes : null;
    },
    has: async (sha256, bytes) => (await head(bucket, keyOf(bucket, sha256)))?.bytes === bytes,
    async discard(sha256) {
      await removeObject(bucket, keyOf(bucket, sha256));
    },
    open: (sha256) => open(bucket, sha256),
    link: (sha256, fileName, seconds) => link(bucket, sha256, fileName, seconds),
    storedBefore: (before) => storedBefore(bucket, before),
    remove: (name, before) => remove(bucket, name, before),
  };
}

async function get(from: S3Bucket, sha256: string): Promise<Buffer | null> {
  const chunks = await read(from, sha256);
  if (chunks === null) return null;
  const pieces: Buffer[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  const bytes = Buffer.concat(pieces);
  return sha256Of(bytes) === sha256 ? bytes : null;
}

async function* open(from: S3Bucket, sha256: string): AsyncGenerator<Buffer> {
  const chunks = await read(from, sha256);
  const where = describeLocation(from.location);
  if (chunks === null) throw new InfrastructureError(`the artifact ${sha256} is gone from ${where}`);
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw new InfrastructureError(`the artifact ${sha256} is damaged in ${where}`);
}

const link = (of: S3Bucket, sha256: string, fileName: string, seconds: number): Promise<string> =>
  explained(of, async ({ s3 }) => {
    // The address is signed locally, without a request.
    const command = new s3.GetObjectCommand({
      ...{ Bucket: of.bucket, Key: keyOf(of, sha256), ResponseContentType: 'application/octet-stream' },
      ResponseContentDisposition: `attachment; filename="${fileName.replace(/[^\w.-]/g, '_')}"`,
    });
    return s3.getSignedUrl(await of.signer(), command, { expiresIn: seconds });
  });
