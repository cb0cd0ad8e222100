import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { BenchError } from '../domain/errors.js';
import { errorDocument, errorHeaders, type ErrorStatus, statusOf as httpStatusOf } from '../domain/http-errors.js';
import { asBenchError } from '../operations/as-bench-error.js';

/** Malformed requests are 422, as in FastAPI. */
export const statusOf = (error: BenchError): ErrorStatus =>
  error.code === 'request.invalid' ? 422 : httpStatusOf(error);

/** Includes the remedy: clients show only the message. */
export const textOf = ({ message, remedy }: BenchError): string =>
  remedy === undefined ? message : `${message}. ${remedy}`;

/** Announces retryable errors. Absent services look like a starting server: clients wait. */
export const retryHeaders = (status: number, { type }: BenchError): Record<string, string> => ({
  ...errorHeaders(status),
  ...(type === 'services' && { 'X-Backend-State': 'starting' }),
});

export const json = (
  c: Context,
  document: unknown,
  status: ContentfulStatusCode = 200,
  headers: Record<string, string> = {},
): Response =>
  c.body(JSON.stringify(document), status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });

export function sendError(thrown: Error, c: Context): Response {
  if (thrown instanceof HTTPException)
    return json(c, errorDocument(new BenchError('usage', thrown.message)), thrown.status);
  const error = asBenchError(thrown);
  const status = statusOf(error);
  return json(c, errorDocument(error), status, retryHeaders(status, error));
}

/** `{detail}`, as FastAPI answers an unreadable request; null: another error. */
export const unreadable = (thrown: Error, c: Context): Response | null =>
  thrown instanceof HTTPException ? json(c, { detail: thrown.message }, thrown.status) : null;
