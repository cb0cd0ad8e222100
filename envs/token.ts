import { sameToken } from '../domain/same-token.js';

/** The token of this process; null: the server has none. The command passes it in the environment, which other users cannot read. */
export const tokenIn = (env: Readonly<Record<string, string | undefined>>): string | null =>
  env['BENCH_ENV_TOKEN'] || null;

/** May a client with this token play? `token` null: whoever reaches the port. */
export const mayPlay = (given: string, token: string | null): boolean => token === null || sameToken(given, token);
