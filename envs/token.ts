import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The token of this process; null: the server has none. The command passes it in the environment, which other users cannot read. */
export const tokenIn = (env: Readonly<Record<string, string | undefined>>): string | null =>
  env['BENCH_ENV_TOKEN'] || null;

/** May this request play? `token` null: whoever reaches the port. */
export function mayPlay(headers: IncomingHttpHeaders, token: string | null): boolean {
  return token === null || sameToken(tokenOf(headers), token);
}

function tokenOf({ authorization = '', 'x-api-key': key }: IncomingHttpHeaders): string {
  return typeof key === 'string' ? key : authorization.replace(/^Bearer /i, '');
}

/** In a time that does not depend on how much of it is right. */
function sameToken(given: string, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
