import { BenchError } from '../domain/errors.js';
import { isLoopback } from '../domain/home/own-site.js';
import type { EnvServe } from '../domain/requests/env-serve.js';

/** Throws BenchError (usage) for a server that strangers could reach, or without isolation. */
export function refuseOpenServer({ host, backend, allowLocal }: EnvServe, token: string | null): void {
  if (token === null && !isLoopback(host))
    throw new BenchError('usage', `${host} can be reached from other machines, and the server has no token`, {
      remedy: 'Leave out --no-token, or listen at 127.0.0.1.',
    });
  if (token === null && allowLocal)
    throw new BenchError('usage', 'without a token every user of this machine could run commands as you', {
      remedy: 'Leave out --no-token, or --allow-local.',
    });
  if (backend === 'local' && !allowLocal)
    throw new BenchError('usage', 'the local backend isolates nothing: a policy could read what scores it', {
      remedy: 'Serve docker or podman, or allow it for trying things out.',
      fields: { allowLocal: true },
    });
}
