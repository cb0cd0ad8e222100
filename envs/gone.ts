import type { FastifyReply } from 'fastify';

/** Aborted when the client has gone: nobody waits for the answer any more. */
export function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
