import type { HostRow } from '../../../domain/views/hosts.js';
import type { FleetReads } from '../../../domain/ports/reading/fleet.js';
import { type UnreachedPorts, withUnreached } from './unreached.js';

export type ListHostsPorts = UnreachedPorts & { queries: Pick<FleetReads, 'hosts'> };

export const listHosts = async (ports: ListHostsPorts, options: { includeRemoved: boolean }): Promise<HostRow[]> =>
  withUnreached(ports, await ports.queries.hosts(options), ({ state }) => ['silent', 'lost'].includes(state));
