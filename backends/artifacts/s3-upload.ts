import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { StoredArtifact } from '../../domain/ports/artifact-store.js';
import { digestOf, sha256Of, writeWhole } from './digest.js';
import { explained, head, keyOf, type S3Bucket } from './s3-bucket.js';
import { openClient, type OpenedClient, untilSilent } from './s3-client.js';
import { storeFailure } from './s3-errors.js';

const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 3;
/** Re-send older objects, so that `bench prune`, which removes after an hour, spares them. */
const RENEW_MS = 10 * 60_000;

interface Sent {
  key: string;
  bytes: number;
}

export async function put(to: S3Bucket, bytes: Uint8Array): Promise<string> {
  const sha256 = sha256Of(bytes);
  const object = { key: keyOf(to, sha256), bytes: bytes.length };
  if (!(await isYoung(to, object)))
    await explained(to, async ({ s3 }) => send(to, { s3, client: await to.uploader() }, object, bytes));
  return sha256;
}

/** Spooled to this host's disk first: the object's name is the digest of the whole stream. */
export async function putStream(
  to: S3Bucket,
  content: AsyncIterable<Uint8Array>,
  brief?: { silenceMs: number },
): Promise<StoredArtifact> {
  const { spool } = to.location;
  await mkdir(spool, { recursive: true });
  const path = join(spool, randomUUID());
  try {
    const stored = await write(content, path);
    const object = { key: keyOf(to, stored.sha256), bytes: stored.bytes };
    if (brief !== undefined) await sendBriefly(to, object, path, brief.silenceMs);
    else if (!(await isYoung(to, object)))
      await explained(to, async ({ s3 }) =>
        send(to, { s3, client: await to.uploader() }, object, createReadStream(path)),
      );
    return stored;
  } finally {
    await rm(path, { force: true });
  }
}

async function write(content: AsyncIterable<Uint8Array>, path: string): Promise<StoredArtifact> {
  const file = await open(path, 'wx', 0o600);
  try {
    return await digestOf(content, (chunk) => writeWhole(file, chunk));
  } finally {
    await file.close();
  }
}

/** True: it exists with this size and is young. A truncated one is rewritten. */
async function isYoung(to: S3Bucket, { key, bytes }: Sent, by = to.connect()): Promise<boolean> {
  const found = await head(to, key, by);
  return found?.bytes === bytes && Date.now() - found.at.getTime() < RENEW_MS;
}

/** Does not wait for a silent server, not even to clean up. */
async function sendBriefly(to: S3Bucket, object: Sent, path: string, silenceMs: number): Promise<void> {
  // Reuses credentials: looking them up may take a while.
  const { credentials } = (await to.connect()).client.config;
  const by = openClient(to.location, silenceMs, credentials);
  const { client } = await by;
  const silent = untilSilent(client);
  const sending = (async () => {
    if (await isYoung(to, object, by)) return;
    await explained(to, (opened) => send(to, opened, object, createReadStream(path)), by);
  })().finally(() => client.destroy());
  // The race already reports the silence; ignore the later failure of the upload.
  sending.catch(() => undefined);
  await Promise.race([sending, silent.then((error) => Promise.reject(storeFailure(error, to.location)))]);
}

/** In parts, each retried alone; an object that fits into one part is one request. */
async function send(
  { bucket }: S3Bucket,
  { s3, client }: OpenedClient,
  { key, bytes }: Sent,
  body: Uint8Array | Readable,
): Promise<void> {
  const upload = new s3.Upload({
    client,
    params: { Bucket: bucket, Key: key, ContentType: 'application/octet-stream', Body: body },
    // AWS takes 10,000 parts at most.
    partSize: Math.max(PART_BYTES, Math.ceil(bytes / 9_000)),
    queueSize: PARTS_AT_ONCE,
  });
  await upload.done();
}
