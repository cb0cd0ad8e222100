import type { BenchError } from './errors.js';
import type { ErrorDocument } from './views/errors.js';

/** The same for the page, the environment server and its front. */

/** Whose status does not follow from their type. */
const BY_CODE = {
  'token.invalid': 401,
  'access.denied': 403,
  'preview.outdated': 412,
  'request.header_invalid': 400,
  'request.invalid': 400,
  'request.too_large': 413,
  'requests.too_many': 429,
  'episodes.at_capacity': 429,
} as const;
const BY_TYPE = { usage: 422, not_found: 404, conflict: 409, services: 503, failed: 500 } as const;

export type ErrorStatus = (typeof BY_CODE)[keyof typeof BY_CODE] | (typeof BY_TYPE)[keyof typeof BY_TYPE];

export const statusOf = ({ type, code }: BenchError): ErrorStatus =>
  (BY_CODE as Readonly<Record<string, ErrorStatus>>)[code] ?? BY_TYPE[type];

export const errorDocument = ({ type, code, message, remedy }: BenchError): ErrorDocument => ({
  error: { type, code, message, remedy: remedy ?? null },
});

/** When to retry, or how to sign in. */
export function errorHeaders(status: number): Record<string, string> {
  if (status === 429 || status === 503) return { 'Retry-After': '1' };
  return status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
}
