import { BenchError, InfrastructureError } from '../../domain/errors.js';
import { type ArtifactLocation, describeLocation } from '../../domain/home/artifact-location.js';

interface ServiceError extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number };
  $response?: { headers?: Record<string, string> };
}

export const statusOf = (error: unknown): number | undefined =>
  (error as ServiceError | null)?.$metadata?.httpStatusCode;

/** Servers differ in their codes, so the HTTP status decides and codes only refine it. */
function sentence(error: ServiceError, place: string): [what: string, remedy: string] {
  const status = statusOf(error);
  const header = error.$response?.headers?.['x-amz-bucket-region'];
  if (/RequestTimeTooSkewed|RequestExpired/.test(error.name))
    return [
      `${place} rejects this host's requests: its clock is more than 15 minutes off`,
      'set the clock (NTP), then try again',
    ];
  if (/CredentialsProviderError|Could not load credentials/.test(`${error.name} ${error.message}`))
    return [`no credentials for ${place}`, 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE'];
  if (/Region is missing/.test(error.message)) return [`no region for ${place}`, 'set AWS_REGION'];
  if (
    status === 301 ||
    status === 307 ||
    /PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraint/.test(error.name)
  )
    return [
      `${place} is in another region than AWS_REGION says`,
      header === undefined ? 'set AWS_REGION to the region of the bucket' : `set AWS_REGION=${header}`,
    ];
  if (/SignatureDoesNotMatch/.test(error.name))
    return [`${place} rejects AWS_SECRET_ACCESS_KEY`, 'check that the secret belongs to AWS_ACCESS_KEY_ID'];
  if (/InvalidAccessKeyId|XAdminUserNotFound|InvalidToken|ExpiredToken/.test(error.name))
    return [
      `${place} does not recognize these credentials, or they have expired`,
      'check AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN',
    ];
  if (/NoSuchBucket/.test(error.name) || status === 404)
    return [`${place}: there is no such bucket`, 'create it, or correct BENCH_ARTIFACTS'];
  if (status === 403)
    return [
      `${place} denies access`,
      'allow s3:GetObject, PutObject, DeleteObject, ListBucket and AbortMultipartUpload',
    ];
  if (status === 507 || /Quota|StorageFull|InsufficientStorage/i.test(error.name))
    return [`${place} is full: its quota is used up`, 'run `bench prune`, or raise the quota'];
  if (status === undefined)
    return [
      `${place} does not answer (${error.code ?? error.name}: ${error.message})`,
      'check BENCH_S3_ENDPOINT and the network',
    ];
  return [`${place} answers ${status} ${error.name}: ${error.message}`, 'try again later, or ask its operator'];
}

const message = (error: unknown, location: ArtifactLocation): [string, string] =>
  sentence(
    error instanceof Error ? error : new Error(String(error)),
    `the artifact store ${describeLocation(location)}`,
  );

/** Failure of a call in a run: retried, and never the agent's fault. */
export function storeFailure(error: unknown, location: ArtifactLocation): InfrastructureError {
  const [what, remedy] = message(error, location);
  return new InfrastructureError(`${what}; ${remedy}`, { cause: error });
}

/** Failure of a check before anything starts. */
export function storeProblem(error: unknown, location: ArtifactLocation): BenchError {
  const [what, remedy] = message(error, location);
  return new BenchError('services', what, { code: 'artifacts.unavailable', remedy, cause: error });
}
