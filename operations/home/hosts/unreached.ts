import type { Client } from '@temporalio/client';
import type { Unreached } from '../../../domain/views/hosts.js';

export interface UnreachedPorts {
  temporal: () => Promise<Client>;
}

/**
 * Adds the server that unregistered hosts cannot reach. Without PostgreSQL they report through
 * Temporal; if Temporal does not answer here either, it stays unknown.
 */
export async function withUnreached<Host extends { hostId: string; unreachableServer: Unreached }>(
  { temporal }: UnreachedPorts,
  hosts: readonly Host[],
  isAway: (host: Host) => boolean,
): Promise<Host[]> {
  const unknown = hosts.filter((host) => host.unreachableServer === null && isAway(host));
  if (unknown.length === 0) return [...hosts];
  const { isShownCutOff } = await import('../../../temporal/reach.js');
  const client = await temporal().catch(() => null);
  if (client === null) return [...hosts];
  const shown = await Promise.all(unknown.map(({ hostId }) => isShownCutOff(client, hostId).catch(() => false)));
  const cutOff = new Set(unknown.filter((_, i) => shown[i]).map(({ hostId }) => hostId));
  return hosts.map((host) => (cutOff.has(host.hostId) ? { ...host, unreachableServer: 'PostgreSQL' } : host));
}
