import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { ArtifactLocation } from '../../domain/home/artifact-location.js';
import { proxyAgents } from '../../transport/proxy-agents.js';
import type * as S3Sdk from './s3-sdk.js';

export type S3Location = Extract<ArtifactLocation, { kind: 's3' }>;

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
  // Silences the SDK's warning about Node.js versions; the lock file pins one that fits.
  // oxlint-disable-next-line no-restricted-properties -- the SDK reads it there
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const s3 = await import('./s3-sdk.js');
  // Else as the SDK's own.
  const agents = proxyAgents({ keepAlive: true, maxSockets: 50 });
  const client = new s3.S3Client({
    ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint }),
    ...(location.region === undefined ? {} : { region: location.region }),
    ...(credentials === undefined ? {} : { credentials }),
    forcePathStyle: location.pathStyle,
    maxAttempts: ATTEMPTS,
    // Readers compare the content with its name themselves.
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A requestTimeout would cut slow uploads that progress, and miss stalled downloads.
    requestHandler: {
      ...{ connectionTimeout: 10_000, socketTimeout: silenceMs },
      ...{ httpAgent: agents['http:'], httpsAgent: agents['https:'] },
    },
  });
  return { s3, client };
}

/** Resolves with a request's first timeout, and stops the client's retries of that request. */
export function untilSilent(client: S3Client): Promise<Error> {
  return new Promise((resolve) => {
    client.middlewareStack.add(
      (next) => async (args) => {
        try {
          return await next(args);
        } catch (error) {
          if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
          // The SDK would retry a timeout, or an error caused by one.
          const silence = Object.assign(new Error(error.message), { name: 'StoreSilent' });
          resolve(silence);
          throw silence;
        }
      },
      // Runs inside the SDK's own retries.
      { step: 'finalizeRequest', priority: 'low', name: 'untilSilent' },
    );
  });
}
