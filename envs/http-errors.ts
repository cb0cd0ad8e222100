import type { FastifyReply } from 'fastify';
import { BenchError } from '../domain/errors.js';
import { asBenchError } from '../operations/as-bench-error.js';

/** The HTTP status of an error, by what its caller can do about it. */
export function statusOf({ type, code }: BenchError): number {
  if (code === 'episodes.at_capacity') return 429;
  if (code === 'access.denied') return 403;
  switch (type) {
    case 'usage':
      return 422;
    case 'not_found':
      return 404;
    case 'conflict':
      return 409;
    case 'services':
      return 503;
    case 'failed':
      return 500;
  }
}

export interface ErrorBody {
  error: { type: string; code: string; message: string; remedy: string | null };
}

export const errorBody = ({ type, code, message, remedy }: BenchError): ErrorBody => ({
  error: { type, code, message, remedy: remedy ?? null },
});

/** With what to do about it: clients show the message alone. */
export const textOf = ({ message, remedy }: BenchError): string =>
  remedy === undefined ? message : `${message}. ${remedy}`;

/** What is worth another try: headers say so. Services that are away are a server that starts, which clients wait for. */
export function sayWhetherAgain(reply: FastifyReply, status: number, { type }: BenchError): void {
  if (status === 503 || status === 429) void reply.header('Retry-After', '1');
  if (type === 'services') void reply.header('X-Backend-State', 'starting');
}

/** Answers with what went wrong. */
export function sendError(reply: FastifyReply, thrown: unknown): FastifyReply {
  const status = (thrown as { statusCode?: number }).statusCode;
  const error =
    thrown instanceof BenchError || status === undefined || status >= 500
      ? asBenchError(thrown)
      : new BenchError('usage', (thrown as Error).message);
  const code = thrown instanceof BenchError || status === undefined || status >= 500 ? statusOf(error) : status;
  sayWhetherAgain(reply, code, error);
  return reply.code(code).send(errorBody(error));
}
