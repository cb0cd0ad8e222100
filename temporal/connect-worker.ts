import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { BenchError } from '../domain/errors.js';
import { describeAccess, type TemporalAccess } from '../domain/home/temporal-access.js';
import { channelOptions } from '../transport/proxies.js';

export async function connectWorker(settings: {
  temporalAddress: string;
  temporalAccess: TemporalAccess;
  temporalNamespace: string;
}): Promise<{ connection: NativeConnection; client: Client }> {
  const server = { address: settings.temporalAddress, ...settings.temporalAccess };
  try {
    // Requests are small; near servers (no TLS, or local) make compression a loss.
    const near = settings.temporalAccess.tls === undefined || settings.temporalAddress.startsWith('127.0.0.1:');
    const connection = await NativeConnection.connect({
      ...server,
      ...(near && { grpcCompression: { codec: 'none' } }),
    });
    const client = new Client({
      connection: await Connection.connect({ ...server, ...channelOptions(settings.temporalAddress) }),
      namespace: settings.temporalNamespace,
    });
    return { connection, client };
  } catch (cause) {
    const how = describeAccess(settings.temporalAccess) || 'no TLS';
    const reason = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? '';
    throw new BenchError('services', `Temporal at ${settings.temporalAddress} (${how}) does not answer: ${reason}`, {
      code: 'temporal.unreachable',
      remedy: 'Run `bench doctor` with the same environment for details.',
      cause,
    });
  }
}
