import { join, resolve } from 'node:path';
import { BenchError } from '../errors.js';
import type { HomeLayout } from './layout.js';

interface Bucket {
  bucket: string;
  /** Without outer slashes; '' for none. */
  prefix: string;
  /** For services other than AWS. */
  endpoint: string | undefined;
  /** That browsers use, if different. */
  publicEndpoint: string | undefined;
  /** `https://host/bucket/key` instead of `https://bucket.host/key`. */
  pathStyle: boolean;
  /** Undefined: by AWS's own rules. */
  region: string | undefined;
  /** Secret. Undefined: by AWS's own rules, from profiles or the machine's role. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
  /** Local folder for uploads. */
  spool: string;
}

/** `shared`: other hosts may read it. */
export type ArtifactLocation =
  | { kind: 'folder'; dir: string; shared: boolean }
  | ({ kind: 's3'; shared: true } & Bucket);

type Env = Readonly<Record<string, string | undefined>>;

const given = (env: Env, name: string): string | undefined => (env[name] === '' ? undefined : env[name]);

/** A folder or `s3://bucket/prefix`. Throws BenchError (usage) that names the variable. */
export function artifactLocation(layout: HomeLayout, env: Env): ArtifactLocation {
  const named = given(env, 'BENCH_ARTIFACTS');
  if (named === undefined) return { kind: 'folder', dir: layout.artifacts, shared: false };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(named)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    const dir = resolve(named);
    return { kind: 'folder', dir, shared: dir !== layout.artifacts };
  }
  const address = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/i.exec(named);
  const prefix = (address?.[2] ?? '').replace(/\/+$/, '');
  // A store may take `a//b` for `a/b`, or for a folder that hides another key.
  if (
    address?.[1] === undefined ||
    prefix.split('/').some((part) => part === '.' || part === '..') ||
    /^\/|\/\//.test(prefix)
  )
    throw new BenchError(
      'usage',
      `BENCH_ARTIFACTS is "${named}", which is neither a folder nor s3://<bucket>/<prefix>`,
      {
        remedy: 'write s3://my-bucket/my-prefix, or the path of a folder',
      },
    );
  const endpoint =
    given(env, 'BENCH_S3_ENDPOINT') ?? given(env, 'AWS_ENDPOINT_URL_S3') ?? given(env, 'AWS_ENDPOINT_URL');
  const publicEndpoint = given(env, 'BENCH_S3_PUBLIC_ENDPOINT');
  refuseNoAddress('BENCH_S3_ENDPOINT', endpoint);
  refuseNoAddress('BENCH_S3_PUBLIC_ENDPOINT', publicEndpoint);
  return {
    ...{ kind: 's3', shared: true, bucket: address[1], prefix, endpoint, spool: join(layout.artifacts, 'outgoing') },
    publicEndpoint,
    pathStyle: pathStyle(given(env, 'BENCH_S3_PATH_STYLE'), endpoint),
    // Other servers accept any region, but the SDK requires one.
    region: given(env, 'AWS_REGION') ?? (endpoint === undefined ? undefined : 'us-east-1'),
    credentials: credentialsOf(env),
  };
}

function refuseNoAddress(name: string, text: string | undefined): void {
  if (text !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(text))
    throw new BenchError('usage', `${name} is not an address such as https://host:9000`, {
      remedy: 'give scheme, host and port alone, without credentials or a path',
    });
}

/** From the environment and `.env` files, which the SDK does not read. */
function credentialsOf(env: Env) {
  const [accessKeyId, secretAccessKey] = [given(env, 'AWS_ACCESS_KEY_ID'), given(env, 'AWS_SECRET_ACCESS_KEY')];
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const sessionToken = given(env, 'AWS_SESSION_TOKEN');
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** Other servers rarely have a host name per bucket. */
function pathStyle(text: string | undefined, endpoint: string | undefined): boolean {
  if (text === undefined) return endpoint !== undefined;
  if (text !== '0' && text !== '1')
    throw new BenchError('usage', `BENCH_S3_PATH_STYLE is "${text}"`, { remedy: 'set it to 0 or 1' });
  return text === '1';
}

/** For messages. */
export const describeLocation = (location: ArtifactLocation): string =>
  location.kind === 'folder'
    ? location.dir
    : `s3://${location.bucket}${location.prefix === '' ? '' : `/${location.prefix}`}` +
      (location.endpoint === undefined ? '' : ` at ${location.endpoint}`);
