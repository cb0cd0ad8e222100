import { sameToken } from '../domain/same-token.js';

/** Null: none. In the environment, which other users cannot read. */
export const tokenIn = (env: Readonly<Record<string, string | undefined>>): string | null =>
  env['BENCH_ENV_TOKEN'] || null;

/** `token` null: every client that reaches the port may play. */
export const mayPlay = (given: string, token: string | null): boolean => token === null || sameToken(given, token);
