import { readFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { BenchError } from '../domain/errors.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import { temporalAccess } from '../domain/home/temporal-access.js';
import { channelOptions } from '../transport/proxies.js';

export type TemporalEndpoint = Pick<ServiceEndpoints, 'temporalAddress' | 'temporalNamespace'> & {
  readonly embedded?: Pick<ServiceEndpoints['embedded'], 'temporal'>;
  readonly temporalVariables?: ServiceEndpoints['temporalVariables'];
};

/** Import on first use: it loads the client. */
export async function connectTemporal(
  endpoints: TemporalEndpoint,
  env: Readonly<Record<string, string>>,
): Promise<Client> {
  const embedded = endpoints.embedded?.temporal ?? false;
  const access = temporalAccess(embedded ? (endpoints.temporalVariables ?? {}) : env, (path) => readFileSync(path));
  try {
    const address = endpoints.temporalAddress;
    const connection = await Connection.connect({
      address,
      ...access,
      ...channelOptions(address, embedded),
      connectTimeout: '30 seconds',
    });
    return new Client({ connection, namespace: endpoints.temporalNamespace });
  } catch (cause) {
    throw new BenchError('services', `Temporal does not answer at ${endpoints.temporalAddress}`, {
      code: 'temporal.unreachable',
      remedy: embedded
        ? 'Run `bench doctor` to see what is wrong with the embedded server.'
        : 'Correct TEMPORAL_ADDRESS, or start that server, or unset TEMPORAL_ADDRESS to use the embedded one.',
      cause,
    });
  }
}
