import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OldArtifact } from '../../domain/ports/artifact-store.js';
import { explained, head, keyOf, removeObject, type S3Bucket } from './s3-bucket.js';

const UNFINISHED = 'unfinished:';
const SPOOLED = 'spooled:';

/** Spooled files, artifacts and unfinished uploads that are older than `before`. */
export async function* storedBefore(of: S3Bucket, before: Date): AsyncGenerator<OldArtifact> {
  yield* oldSpooled(of.location.spool, before);
  yield* oldObjects(of, before);
  yield* oldUploads(of, before);
}

/** `name` as in `storedBefore`. False: it is gone, or was stored again since. */
export async function remove(of: S3Bucket, name: string, before: Date): Promise<boolean> {
  if (name.startsWith(SPOOLED)) {
    await rm(join(of.location.spool, name.slice(SPOOLED.length)), { force: true });
    return true;
  }
  const [, UploadId, Key] = /^unfinished:([^/]+)\/(.+)$/.exec(name) ?? [];
  if (UploadId !== undefined) {
    await explained(of, ({ s3, client }) =>
      client.send(new s3.AbortMultipartUploadCommand({ Bucket: of.bucket, Key, UploadId })),
    );
    return true;
  }
  const key = of.below + name;
  const found = await head(of, key);
  if (found === null || found.at >= before) return false;
  await removeObject(of, key);
  return true;
}

async function* oldSpooled(dir: string, before: Date): AsyncGenerator<OldArtifact> {
  for (const name of await readdir(dir).catch(() => [])) {
    const file = await stat(join(dir, name)).catch(() => null);
    if (file !== null && file.mtime < before) yield { name: SPOOLED + name, sha256: null, bytes: file.size };
  }
}

async function* oldObjects(of: S3Bucket, before: Date): AsyncGenerator<OldArtifact> {
  const { bucket: Bucket, below: Prefix } = of;
  for (let from: string | undefined, more = true; more;) {
    const page = await explained(of, ({ s3, client }) =>
      client.send(new s3.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken: from })),
    );
    for (const { Key: key = '', Size: bytes = 0, LastModified: at } of page.Contents ?? []) {
      const sha256 = key.slice(-64);
      if (/^[0-9a-f]{64}$/.test(sha256) && key === keyOf(of, sha256) && at !== undefined && at < before)
        yield { name: key.slice(Prefix.length), sha256, bytes };
    }
    from = page.NextContinuationToken;
    more = page.IsTruncated === true && from !== undefined;
  }
}

async function* oldUploads(of: S3Bucket, before: Date): AsyncGenerator<OldArtifact> {
  const { bucket: Bucket, below: Prefix } = of;
  for (let key: string | undefined, id: string | undefined, more = true; more;) {
    const page = await explained(of, ({ s3, client }) =>
      client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix, KeyMarker: key, UploadIdMarker: id })),
    );
    for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? [])
      if (Key === keyOf(of, Key.slice(-64)) && Initiated !== undefined && Initiated < before)
        yield { name: `${UNFINISHED}${UploadId}/${Key}`, sha256: null, bytes: 0 };
    [key, id] = [page.NextKeyMarker, page.NextUploadIdMarker];
    more = page.IsTruncated === true && key !== undefined;
  }
}
