import { BenchError } from '../../domain/errors.js';

/** Throws BenchError (usage) without a token: anyone could make the server send its keys. */
export function refuseRollouts(token: string | null): void {
  if (token !== null) return;
  throw new BenchError('usage', 'a server without a token plays no rollouts', {
    code: 'access.denied',
    remedy: 'Serve without --no-token.',
  });
}
