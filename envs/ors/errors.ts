import type { FastifyReply } from 'fastify';
import { BenchError } from '../../domain/errors.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import { statusOf, textOf } from '../http-errors.js';

/** An error whose status the protocol fixes. */
export class StatusError extends BenchError {
  constructor(
    readonly status: 400 | 404 | 410,
    message: string,
    remedy: string,
  ) {
    super(status === 400 ? 'usage' : 'not_found', message, { remedy });
  }
}

/** Nothing was done: clients retry for minutes while the answer is that the server is starting. */
const isStarting = ({ type, code }: BenchError): boolean => type === 'services' || code === 'episodes.at_capacity';

const FULL_RETRY_S = 5;

/** Answers as ORS does: `{detail}`. */
export function sendDetail(reply: FastifyReply, thrown: unknown): FastifyReply {
  const { statusCode } = thrown as { statusCode?: number };
  if (!(thrown instanceof BenchError) && statusCode !== undefined && statusCode < 500)
    return reply.code(statusCode).send({ detail: (thrown as Error).message });
  const error = asBenchError(thrown);
  if (isStarting(error)) {
    void reply.header('X-Backend-State', 'starting').header('Retry-After', String(retryAfter(error)));
    return reply.code(503).send({ detail: textOf(error) });
  }
  return reply.code(error instanceof StatusError ? error.status : statusOf(error)).send({ detail: textOf(error) });
}

const retryAfter = ({ code }: BenchError): number => (code === 'episodes.at_capacity' ? FULL_RETRY_S : 1);
