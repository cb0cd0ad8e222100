import type { EventPages } from '../../../domain/ports/reading/event-pages.js';
import { listHosts } from '../../../operations/home/hosts/list.js';
import { leases } from '../../../operations/home/leases.js';
import { listLimits } from '../../../operations/home/limits/list.js';
import { listSchedules } from '../../../operations/schedules/list.js';
import type { eventRoutes } from '../../api/events.js';
import type { homeRoutes } from '../../api/home.js';
import type { Handlers } from '../call.js';
import type { PortsOf } from '../../../operations/ports-of.js';

export type HomePorts = PortsOf<typeof listHosts | typeof leases | typeof listLimits | typeof listSchedules>;
type HomeRoutes = Pick<typeof homeRoutes, 'hosts' | 'leases' | 'limits' | 'schedules'> & typeof eventRoutes;

export function homeHandlers(ports: HomePorts & { pages: Pick<EventPages, 'eventPage'> }): Handlers<HomeRoutes> {
  return {
    hosts: async () => ({ hosts: await listHosts(ports, { includeRemoved: false }) }),
    leases: ({ query }) => leases(ports, { includeReleased: query.released }),
    schedules: async () => ({ schedules: await listSchedules(ports) }),
    limits: async () => ({ accounts: await listLimits(ports) }),
    events: ({ query }) => ports.pages.eventPage(query),
  };
}
