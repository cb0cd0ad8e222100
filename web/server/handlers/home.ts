import type { Bench } from '../../../operations/bench.js';
import { listHosts } from '../../../operations/home/hosts/list.js';
import { leases } from '../../../operations/home/leases.js';
import { listLimits } from '../../../operations/home/limits/list.js';
import type { Handler } from '../call.js';

/** Those that need a service. */
export function homeHandlers(bench: Bench): Record<string, Handler> {
  return {
    hosts: async () => ({ hosts: await listHosts(bench, { includeRemoved: false }) }),
    leases: ({ query }) => leases(bench, { includeReleased: query['released'] === true }),
    limits: async () => ({ accounts: await listLimits(bench) }),
    events: async ({ query }) => {
      const { pages } = await bench.database();
      return pages.eventPage(query as unknown as Parameters<typeof pages.eventPage>[0]);
    },
  };
}
