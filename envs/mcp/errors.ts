import type { Context } from 'hono';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { asBenchError, isOutage } from '../../operations/as-bench-error.js';
import { json, retryHeaders, textOf } from '../http-errors.js';
import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, rpcError, rpcFailure } from '../openenv/rpc.js';
import { EpisodeFault } from '../ors/call.js';

export class UnknownMethod extends Error {}

export class Unnamed extends BenchError {
  constructor(
    readonly status: 400 | 404,
    message: string,
  ) {
    super(status === 400 ? 'usage' : 'not_found', message, { remedy: '`initialize` gives one.' });
  }
}

export function failureOf(id: unknown, thrown: unknown): object {
  if (thrown instanceof UnknownMethod) return rpcError(id, METHOD_NOT_FOUND, `Method not found: ${thrown.message}`);
  if (thrown instanceof EpisodeFault) return rpcFailure(id, new BenchError('failed', thrown.message));
  if (thrown instanceof z.ZodError) {
    const problems = thrown.issues.map(({ path, message }) => `params.${path.join('.')}: ${message}`);
    return rpcError(id, INVALID_PARAMS, problems.join('; '));
  }
  return rpcFailure(id, thrown);
}

/** JSON-RPC errors are ordinary answers; the status is about the session, and clients act on it. */
export function refuse(c: Context, id: unknown, thrown: unknown): Response {
  const { status } = thrown as { status?: number };
  if (thrown instanceof BenchError && status !== undefined)
    return json(c, rpcError(id, INVALID_REQUEST, textOf(thrown)), status === 400 ? 400 : 404);
  if (isOutage(thrown)) {
    const away = asBenchError(thrown);
    return json(c, rpcFailure(id, away), 503, retryHeaders(503, away));
  }
  return json(c, failureOf(id, thrown));
}
