import { BenchError } from '../../domain/errors.js';

/** Throws BenchError (usage) where anyone could have this server send requests, with its keys. `token` null: the server has none. */
export function refuseRollouts(token: string | null): void {
  if (token !== null) return;
  throw new BenchError('usage', 'a server without a token plays no rollouts', {
    code: 'access.denied',
    remedy: 'Serve without --no-token.',
  });
}
