import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type * as S3Sdk from './s3-sdk.js';
import { type ArtifactLocation, describeLocation } from '../../domain/artifact-location.js';
import { InfrastructureError } from '../../domain/errors.js';
import type { ArtifactStore, OldArtifact, StoredArtifact } from '../../domain/ports/artifact-store.js';
import { artifactName } from './file-artifact-store.js';
import { statusOf, storeFailure } from './s3-errors.js';

type S3Location = Extract<ArtifactLocation, { kind: 's3' }>;
type Sdk = typeof S3Sdk;

const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 3;
/** `bench prune` spares what is younger than an hour: what is older than this is sent again, which makes it young (a copy onto itself does not everywhere). */
const RENEW_MS = 10 * 60_000;
const ATTEMPTS = 5;
/** No byte moves for so long: the request is tried again, and what was being read has failed. */
const SILENCE_MS = 60_000;
/** The system takes megabytes of an upload at once, and their way to the server is not seen: slow lines have so much longer for a part. */
const UPLOAD_SILENCES = 5;

/**
 * Artifacts as objects `<prefix>/<first two>/<sha256>`, complete or absent: a put of S3 is atomic, and so is the end of a multipart
 * upload. Streams are written to this host's disk first, since their name is known only at their end, and then sent in parts.
 * The AWS SDK is what servers of other makers are tested with.
 */
export function createS3ArtifactStore(location: S3Location, { silenceMs = SILENCE_MS } = {}): ArtifactStore {
  const { bucket, prefix } = location;
  const below = prefix === '' ? '' : `${prefix}/`;
  const keyOf = (sha256: string): string => below + artifactName(sha256);
  let opened: Promise<{ s3: Sdk; client: S3Client }> | undefined;
  const connect = () => (opened ??= openClient(location, silenceMs));
  let uploading: Promise<S3Client> | undefined;
  const uploader = () => (uploading ??= openClient(location, silenceMs * UPLOAD_SILENCES).then(({ client }) => client));
  let signing: Promise<S3Client> | undefined;

  /** InfrastructureError that says what is wrong, in place of the SDK's. */
  const explained = async <T>(call: (s3: Sdk, client: S3Client) => Promise<T>, by = connect()): Promise<T> => {
    try {
      const { s3, client } = await by;
      return await call(s3, client);
    } catch (error) {
      throw storeFailure(error, location);
    }
  };

  const head = (key: string, by = connect()) =>
    explained(async (s3, client) => {
      try {
        const { ContentLength = 0, LastModified = new Date(0) } = await client.send(
          new s3.HeadObjectCommand({ Bucket: bucket, Key: key }),
        );
        return { bytes: ContentLength, at: LastModified };
      } catch (error) {
        // A HEAD has no body that tells a missing bucket from a missing key; puts and lists do.
        if (statusOf(error) === 404) return null;
        if (statusOf(error) === undefined) throw error;
        // The answer to a GET says why.
        const got = await client.send(new s3.GetObjectCommand({ Bucket: bucket, Key: key, Range: 'bytes=0-0' }));
        await got.Body?.transformToByteArray();
        throw error;
      }
    }, by);

  /** True: it is there with this size, and young. A truncated one is written again. */
  const isYoung = async (key: string, bytes: number, by = connect()): Promise<boolean> => {
    const found = await head(key, by);
    if (found?.bytes !== bytes) return false;
    return Date.now() - found.at.getTime() < RENEW_MS;
  };

  /** Null: no such object. A missing bucket is a failure, not a missing object. */
  const bodyOf = (sha256: string): Promise<AsyncIterable<Buffer> | null> =>
    explained(async (s3, client) => {
      try {
        const { Body } = await client.send(new s3.GetObjectCommand({ Bucket: bucket, Key: keyOf(sha256) }));
        return Body as unknown as AsyncIterable<Buffer>;
      } catch (error) {
        if (error instanceof s3.NoSuchKey) return null;
        throw error;
      }
    });
  /** One that is silent is not waited for, not even to clean up what was sent. */
  const sendBriefly = async (object: { bucket: string; key: string; bytes: number }, path: string, ms: number) => {
    // With the credentials that are known already: to look for them may take a while.
    const { credentials } = (await connect()).client.config;
    const by = openClient(location, ms, credentials);
    const { s3, client } = await by;
    const silent = untilSilent(client);
    const sending = (async () => {
      if (await isYoung(object.key, object.bytes, by)) return;
      await explained(() => send(s3, client, { ...object, body: createReadStream(path) }), by);
    })().finally(() => client.destroy());
    // Its failure after that of the silence is the same.
    sending.catch(() => undefined);
    await Promise.race([sending, silent.then((error) => Promise.reject(storeFailure(error, location)))]);
  };
  const chunksOf = async function* (body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* body;
    } catch (error) {
      throw storeFailure(error, location);
    }
  };

  return {
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const key = keyOf(sha256);
      if (!(await isYoung(key, bytes.length)))
        await explained(async (s3) => send(s3, await uploader(), { bucket, key, body: bytes, bytes: bytes.length }));
      return sha256;
    },

    async putStream(content, brief) {
      await mkdir(location.spool, { recursive: true });
      const path = join(location.spool, randomUUID());
      try {
        const stored = await spool(content, path);
        const object = { bucket, key: keyOf(stored.sha256), bytes: stored.bytes };
        if (brief !== undefined) await sendBriefly(object, path, brief.silenceMs);
        else if (!(await isYoung(object.key, object.bytes)))
          await explained(async (s3) => send(s3, await uploader(), { ...object, body: createReadStream(path) }));
        return stored;
      } finally {
        await rm(path, { force: true });
      }
    },

    async get(sha256) {
      const body = await bodyOf(sha256);
      if (body === null) return null;
      const chunks: Buffer[] = [];
      for await (const chunk of chunksOf(body)) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      return createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes : null;
    },

    async check(sha256) {
      const body = await bodyOf(sha256);
      if (body === null) return null;
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const chunk of chunksOf(body)) {
        hash.update(chunk);
        bytes += chunk.length;
      }
      return hash.digest('hex') === sha256 ? bytes : null;
    },

    has: async (sha256, bytes) => (await head(keyOf(sha256)))?.bytes === bytes,

    async discard(sha256) {
      await explained((s3, client) => client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: keyOf(sha256) })));
    },

    async *open(sha256) {
      const body = await bodyOf(sha256);
      if (body === null)
        throw new InfrastructureError(`the artifact ${sha256} is gone from ${describeLocation(location)}`);
      const hash = createHash('sha256');
      for await (const chunk of chunksOf(body)) {
        hash.update(chunk);
        yield chunk;
      }
      if (hash.digest('hex') !== sha256)
        throw new InfrastructureError(`the artifact ${sha256} is damaged in ${describeLocation(location)}`);
    },

    link: (sha256, fileName, seconds) =>
      explained(async (s3) => {
        // Nothing is sent: the address is signed here.
        const client = await (signing ??= openSigner(location, silenceMs, connect));
        const command = new s3.GetObjectCommand({
          ...{ Bucket: bucket, Key: keyOf(sha256), ResponseContentType: 'application/octet-stream' },
          ResponseContentDisposition: `attachment; filename="${fileName.replace(/[^\w.-]/g, '_')}"`,
        });
        return s3.getSignedUrl(client, command, { expiresIn: seconds });
      }),

    async *storedBefore(before) {
      yield* oldSpooled(location.spool, before);
      for (let from: string | undefined, more = true; more;) {
        const page = await explained((s3, client) =>
          client.send(new s3.ListObjectsV2Command({ Bucket: bucket, Prefix: below, ContinuationToken: from })),
        );
        for (const { Key: key = '', Size: bytes = 0, LastModified: at } of page.Contents ?? []) {
          const sha256 = key.slice(-64);
          if (/^[0-9a-f]{64}$/.test(sha256) && key === keyOf(sha256) && at !== undefined && at < before)
            yield { name: key.slice(below.length), sha256, bytes } satisfies OldArtifact;
        }
        from = page.NextContinuationToken;
        more = page.IsTruncated === true && from !== undefined;
      }
      for (let key: string | undefined, id: string | undefined, more = true; more;) {
        const page = await explained((s3, client) =>
          client.send(
            new s3.ListMultipartUploadsCommand({
              ...{ Bucket: bucket, Prefix: below, KeyMarker: key, UploadIdMarker: id },
            }),
          ),
        );
        for (const { Key: of = '', UploadId = '', Initiated } of page.Uploads ?? [])
          if (of === keyOf(of.slice(-64)) && Initiated !== undefined && Initiated < before)
            yield { name: `${UNFINISHED}${UploadId}/${of}`, sha256: null, bytes: 0 };
        [key, id] = [page.NextKeyMarker, page.NextUploadIdMarker];
        more = page.IsTruncated === true && key !== undefined;
      }
    },

    async remove(name, before) {
      if (name.startsWith(SPOOLED)) {
        await rm(join(location.spool, name.slice(SPOOLED.length)), { force: true });
        return true;
      }
      const upload = /^unfinished:([^/]+)\/(.+)$/.exec(name);
      if (upload !== null) {
        await explained((s3, client) =>
          client.send(new s3.AbortMultipartUploadCommand({ Bucket: bucket, Key: upload[2], UploadId: upload[1] })),
        );
        return true;
      }
      const key = below + name;
      const found = await head(key);
      if (found === null || found.at >= before) return false;
      await explained((s3, client) => client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: key })));
      return true;
    },
  };
}

const UNFINISHED = 'unfinished:';
const SPOOLED = 'spooled:';

async function openClient(
  location: S3Location,
  silenceMs: number,
  credentials: S3ClientConfig['credentials'] = location.credentials,
): Promise<{ s3: Sdk; client: S3Client }> {
  // A warning about versions to come, in everybody's terminal: the lock file keeps one that supports this Node.js.
  // oxlint-disable-next-line no-restricted-properties -- the SDK reads it there
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const s3 = await import('./s3-sdk.js');
  const client = new s3.S3Client({
    ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint }),
    ...(location.region === undefined ? {} : { region: location.region }),
    ...(credentials === undefined ? {} : { credentials }),
    forcePathStyle: location.pathStyle,
    maxAttempts: ATTEMPTS,
    // What is read is compared with its name.
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Its requestTimeout would also cut a slow upload whose bytes flow, and not see a download that stalls.
    requestHandler: { connectionTimeout: 10_000, socketTimeout: silenceMs },
  });
  return { s3, client };
}

/** Resolves with the first timeout of a request, and has the client try that request no more. */
function untilSilent(client: S3Client): Promise<Error> {
  return new Promise((resolve) => {
    client.middlewareStack.add(
      (next) => async (args) => {
        try {
          return await next(args);
        } catch (error) {
          if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
          // A timeout, or an error whose cause is one, would be tried again.
          const silence = Object.assign(new Error(error.message), { name: 'StoreSilent' });
          resolve(silence);
          throw silence;
        }
      },
      // Within the SDK's own retries.
      { step: 'finalizeRequest', priority: 'low', name: 'untilSilent' },
    );
  });
}

/** Signs for the address by which browsers reach the store. */
const openSigner = async (
  location: S3Location,
  silenceMs: number,
  connect: () => Promise<{ client: S3Client }>,
): Promise<S3Client> =>
  location.publicEndpoint === undefined
    ? (await connect()).client
    : (await openClient({ ...location, endpoint: location.publicEndpoint }, silenceMs)).client;

async function spool(content: AsyncIterable<Uint8Array>, path: string): Promise<StoredArtifact> {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.length;
      for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
    }
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** In parts, each of which is tried again alone; what fits into one part is one request. */
async function send(
  s3: Sdk,
  client: S3Client,
  { bucket, key, body, bytes }: { bucket: string; key: string; body: Uint8Array | Readable; bytes: number },
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

/** What a worker that was killed left on its way. */
async function* oldSpooled(dir: string, before: Date): AsyncGenerator<OldArtifact> {
  for (const name of await readdir(dir).catch(() => [])) {
    const file = await stat(join(dir, name)).catch(() => null);
    if (file !== null && file.mtime < before) yield { name: SPOOLED + name, sha256: null, bytes: file.size };
  }
}
