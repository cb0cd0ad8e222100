import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type BenchError } from '../../domain/errors.js';
import type { ErrorDocument } from '../../domain/views/errors.js';

/** Errors whose status does not follow from their type. */
const BY_CODE: Readonly<Record<string, ContentfulStatusCode>> = {
  'token.invalid': 401,
  'access.denied': 403,
  'preview.outdated': 412,
  'request.header_invalid': 400,
  'request.invalid': 400,
  'request.too_large': 413,
  'requests.too_many': 429,
};

const BY_TYPE = { usage: 422, not_found: 404, conflict: 409, services: 503, failed: 500 } as const;

export const statusOf = ({ type, code }: BenchError): ContentfulStatusCode => BY_CODE[code] ?? BY_TYPE[type];

export const errorDocument = ({ type, code, message, remedy }: BenchError): ErrorDocument => ({
  error: { type, code, message, remedy: remedy ?? null },
});
