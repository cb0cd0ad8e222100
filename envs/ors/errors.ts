import type { Context } from 'hono';
import { BenchError } from '../../domain/errors.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import { json, statusOf, textOf, unreadable } from '../http-errors.js';

export class StatusError extends BenchError {
  constructor(
    readonly status: 400 | 404 | 410,
    message: string,
    remedy: string,
  ) {
    super(status === 400 ? 'usage' : 'not_found', message, { remedy });
  }
}

/** Nothing was done, and clients retry for minutes while the server is starting. */
const isStarting = ({ type, code }: BenchError): boolean => type === 'services' || code === 'episodes.at_capacity';

const FULL_RETRY_S = 5;

/** `{detail}`, as in ORS. */
export function sendDetail(thrown: Error, c: Context): Response {
  const wrong = unreadable(thrown, c);
  if (wrong !== null) return wrong;
  const error = asBenchError(thrown);
  const document = { detail: textOf(error) };
  if (isStarting(error))
    return json(c, document, 503, { 'X-Backend-State': 'starting', 'Retry-After': String(retryAfter(error)) });
  return json(c, document, error instanceof StatusError ? error.status : statusOf(error));
}

const retryAfter = ({ code }: BenchError): number => (code === 'episodes.at_capacity' ? FULL_RETRY_S : 1);
