import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { readInstallation } from '../db/index.js';
import { BenchError } from '../domain/errors.js';
import type { ServiceEndpoints } from '../domain/services.js';
import { claimNamespace, namespaceOwner } from '../worker/namespace-owner.js';
import { connectTemporal, type TemporalEndpoint } from './connect-temporal.js';
import type { CliSettings } from './context.js';

// To be imported where it is needed: it loads the clients of Temporal and PostgreSQL.

/** See to it that the namespace serves this database alone. */
export async function claimNamespaceOf(endpoints: ServiceEndpoints, env: CliSettings['env']): Promise<void> {
  const installation = await readInstallation(endpoints.databaseUrl);
  await withClient(endpoints, env, (client) =>
    claimNamespace(client, {
      installation,
      machine: hostname(),
      temporalAddress: endpoints.temporalAddress,
      ownServer: endpoints.embedded.temporal,
    }),
  );
}

/** Host, port and name of the database that the namespace of another's server serves; null if it serves none yet. */
export async function databaseOfNamespace(at: TemporalEndpoint, env: CliSettings['env']): Promise<string | null> {
  const owner = await withClient(at, env, namespaceOwner);
  return owner?.database ?? null;
}

async function withClient<T>(
  at: TemporalEndpoint,
  env: CliSettings['env'],
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connectTemporal(at, env);
  try {
    return await work(client);
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    throw new BenchError(
      'services',
      `cannot see whose the namespace '${at.temporalNamespace}' at ${at.temporalAddress} is: ${innermost(cause)}`,
      {
        remedy:
          '`bench doctor` says whether it answers; whoever uses `bench` has to be allowed to start and describe workflows there.',
        cause,
      },
    );
  } finally {
    await client.connection.close();
  }
}

/** The client says what it could not do; why is in the cause. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermost(error.cause) : error.message;
}
