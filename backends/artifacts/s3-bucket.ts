import { once } from '../../domain/once.js';
import type { S3Client } from '@aws-sdk/client-s3';
import { artifactName } from './file-artifact-store.js';
import { openClient, type OpenedClient, type S3Location } from './s3-client.js';
import { statusOf, storeFailure } from './s3-errors.js';

/** The OS buffers megabytes of an upload, so slow lines get this many times longer. */
const UPLOAD_SILENCES = 5;

export interface S3Bucket {
  location: S3Location;
  bucket: string;
  /** Prefix of its artifacts' names: empty, or ends with a slash. */
  below: string;
  connect: () => Promise<OpenedClient>;
  uploader: () => Promise<S3Client>;
  /** Client that signs for the address by which browsers reach the store. */
  signer: () => Promise<S3Client>;
}

export function s3Bucket(location: S3Location, silenceMs: number): S3Bucket {
  const { bucket, prefix, publicEndpoint } = location;
  const opened = once(() => openClient(location, silenceMs));
  return {
    ...{ location, bucket, below: prefix === '' ? '' : `${prefix}/`, connect: opened },
    uploader: once(async () => (await openClient(location, silenceMs * UPLOAD_SILENCES)).client),
    signer: once(async () => {
      if (publicEndpoint === undefined) return (await opened()).client;
      return (await openClient({ ...location, endpoint: publicEndpoint }, silenceMs)).client;
    }),
  };
}

export const keyOf = ({ below }: S3Bucket, sha256: string): string => below + artifactName(sha256);

/** Translates the SDK's errors into InfrastructureError with a cause that people understand. */
export async function explained<T>(
  { location, connect }: S3Bucket,
  call: (opened: OpenedClient) => Promise<T>,
  by = connect(),
): Promise<T> {
  try {
    return await call(await by);
  } catch (error) {
    throw storeFailure(error, location);
  }
}

/** Null: no such object. */
export const head = (of: S3Bucket, key: string, by = of.connect()): Promise<{ bytes: number; at: Date } | null> =>
  explained(
    of,
    async ({ s3, client }) => {
      const { bucket: Bucket } = of;
      try {
        const found = await client.send(new s3.HeadObjectCommand({ Bucket, Key: key }));
        return { bytes: found.ContentLength ?? 0, at: found.LastModified ?? new Date(0) };
      } catch (error) {
        // A HEAD's response has no body that distinguishes a missing bucket from a missing key.
        if (statusOf(error) === 404) return null;
        if (statusOf(error) === undefined) throw error;
        // The response to a GET gives the reason.
        const got = await client.send(new s3.GetObjectCommand({ Bucket, Key: key, Range: 'bytes=0-0' }));
        await got.Body?.transformToByteArray();
        throw error;
      }
    },
    by,
  );

/** The object's content; null: no such object. Throws if the bucket is missing. */
export async function read(of: S3Bucket, sha256: string): Promise<AsyncIterable<Buffer> | null> {
  const body = await explained(of, async ({ s3, client }) => {
    try {
      const { Body } = await client.send(new s3.GetObjectCommand({ Bucket: of.bucket, Key: keyOf(of, sha256) }));
      return Body as unknown as AsyncIterable<Buffer>;
    } catch (error) {
      if (error instanceof s3.NoSuchKey) return null;
      throw error;
    }
  });
  return body === null ? null : chunksOf(of, body);
}

async function* chunksOf({ location }: S3Bucket, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw storeFailure(error, location);
  }
}

export const removeObject = (of: S3Bucket, key: string) =>
  explained(of, ({ s3, client }) => client.send(new s3.DeleteObjectCommand({ Bucket: of.bucket, Key: key })));
