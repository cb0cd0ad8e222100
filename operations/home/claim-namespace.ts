import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { findInstallation, readInstallation } from '../../db/index.js';
import type { Installation } from '../../domain/home/installation.js';
import { BenchError } from '../../domain/errors.js';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import {
  claimNamespace,
  namespaceOf,
  namespaceOwner,
  refusalOf,
  refuseSecondNamespace,
} from '../../temporal/namespace-owner.js';
import { connectTemporal, type TemporalEndpoint } from '../../temporal/connect.js';
import type { BenchSettings } from '../settings.js';

// Import this lazily: it loads the clients of Temporal and PostgreSQL.

type Settings = Pick<BenchSettings, 'env' | 'layout'>;

/** Ensures that this namespace and this database serve only each other. */
export async function claimNamespaceOf(endpoints: ServiceEndpoints, settings: Settings): Promise<void> {
  const installation = await readInstallation(endpoints.databaseUrl);
  await withClient(endpoints, settings, async (client) => {
    await refuseOther(client, endpoints, settings, installation);
    await claimNamespace(client, claimBy(installation, endpoints));
  });
}

/**
 * The database of TEMPORAL_ADDRESS's namespace: host, port and name; null if none yet. Read-only.
 * @throws BenchError if it differs from that of the URL.
 */
export async function databaseOfNamespace(
  at: TemporalEndpoint,
  databaseUrl: string | null,
  settings: Settings,
): Promise<string | null> {
  // The database's own check reports faults of the database.
  const installation = databaseUrl === null ? null : await findInstallation(databaseUrl).catch(() => null);
  return withClient(at, settings, async (client) => {
    const owner = await namespaceOwner(client);
    if (installation !== null) {
      await refuseOther(client, at, settings, installation);
      if (owner !== null && owner.installation !== installation.id)
        throw refusalOf(at.temporalNamespace, claimBy(installation, at), owner);
    }
    return owner?.database ?? null;
  });
}

const claimBy = (installation: Installation, at: TemporalEndpoint) => ({
  ...{ installation, machine: hostname(), temporalAddress: at.temporalAddress },
  ownServer: at.embedded?.temporal ?? false,
});

async function refuseOther(
  client: Client,
  { temporalAddress }: TemporalEndpoint,
  { layout }: Settings,
  installation: Installation,
): Promise<void> {
  const homeId = existsSync(layout.hostIdFile) ? readFileSync(layout.hostIdFile, 'utf8').trim() : null;
  refuseSecondNamespace(installation, await namespaceOf(client, temporalAddress), homeId);
}

async function withClient<T>(
  at: TemporalEndpoint,
  { env }: Settings,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connectTemporal(at, env);
  try {
    return await work(client);
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    throw new BenchError(
      isPermanent(cause) ? 'failed' : 'services',
      `cannot check who owns the namespace '${at.temporalNamespace}' at ${at.temporalAddress}: ${innermost(cause).message}`,
      {
        code: 'temporal.unreachable',
        remedy:
          'Run `bench doctor` to see whether it answers. Users of `bench` need permission to start and describe workflows there.',
        cause,
      },
    );
  } finally {
    await client.connection.close();
  }
}

/** The client says what it could not do; the cause says why. */
const innermost = (error: unknown): Error =>
  !(error instanceof Error) ? new Error(String(error)) : error.cause instanceof Error ? innermost(error.cause) : error;

/** gRPC: invalid argument, not found, permission denied, unimplemented, unauthenticated. */
const isPermanent = (error: unknown): boolean =>
  [3, 5, 7, 12, 16].includes(Number((innermost(error) as { code?: unknown }).code));
