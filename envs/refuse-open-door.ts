import { BenchError } from '../domain/errors.js';
import type { EnvServe } from '../domain/requests/env-serve.js';

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** Throws BenchError (usage) for a server that strangers could reach, or that isolates nothing. `token` null: whoever reaches the port plays. */
export function refuseOpenDoor({ host, backend, allowLocal }: EnvServe, token: string | null): void {
  if (token === null && !LOOPBACK.includes(host))
    throw new BenchError('usage', `${host} can be reached from other machines, and no token is set`, {
      remedy: 'Set BENCH_ENV_TOKEN to a secret that trainers send, or listen at 127.0.0.1.',
    });
  if (backend === 'local' && !allowLocal)
    throw new BenchError('usage', 'the local backend isolates nothing: a policy could read what scores it', {
      remedy: 'Serve docker or podman, or allow it for trying things out.',
      fields: { allowLocal: true },
    });
}
