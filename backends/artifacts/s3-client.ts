import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { ArtifactLocation } from '../../domain/home/artifact-location.js';
import type * as S3Sdk from './s3-sdk.js';

export type S3Location = Extract<ArtifactLocation, { kind: 's3' }>;

/** The SDK, which is loaded when it is needed, and a client of it. */
export interface OpenedClient {
  s3: typeof S3Sdk;
  client: S3Client;
}

const ATTEMPTS = 5;

export async function openClient(
  location: S3Location,
  silenceMs: number,
  credentials: S3ClientConfig['credentials'] = location.credentials,
): Promise<OpenedClient> {
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
export function untilSilent(client: S3Client): Promise<Error> {
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
