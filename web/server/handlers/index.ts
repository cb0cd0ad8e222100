import type { liveRoutes } from '../../api/live.js';
import type { Call, Handler } from '../call.js';
import { Hub, type HubPorts } from '../live/hub.js';
import type { Outage } from '../outage.js';
import type { PortsOf } from '../../../operations/ports-of.js';
import { batchHandlers } from './batches.js';
import { downloadHandlers } from './downloads.js';
import { figureHandlers } from './figures.js';
import { homeHandlers } from './home.js';
import { pairHandlers } from './pairs.js';
import { personHandlers } from './person.js';
import { resultHandlers } from './results.js';
import { runHandlers } from './runs.js';
import { searchHandlers } from './search.js';
import { sqlHandlers } from './sql.js';
import { steeringHandlers } from './steering.js';

type HandlerPorts = HubPorts &
  PortsOf<
    | typeof homeHandlers
    | typeof batchHandlers
    | typeof runHandlers
    | typeof downloadHandlers
    | typeof resultHandlers
    | typeof figureHandlers
    | typeof searchHandlers
    | typeof sqlHandlers
    | typeof pairHandlers
    | typeof personHandlers
    | typeof steeringHandlers
  >;

export function allHandlers(
  ports: HandlerPorts,
  outage: Outage,
  version: string,
  readOnly = false,
): { handlers: Record<string, Handler>; hub: Hub } {
  const hub = new Hub(ports, outage, version, readOnly);
  const handlers: Record<string, Handler> = {
    ...homeHandlers(ports),
    ...batchHandlers(ports),
    ...runHandlers(ports),
    ...downloadHandlers(ports),
    ...resultHandlers(ports),
    ...figureHandlers(ports),
    ...searchHandlers(ports),
    ...sqlHandlers(ports),
    ...pairHandlers(ports),
    ...personHandlers(ports),
    ...steeringHandlers(ports),
    live: (call: Call<typeof liveRoutes.live>) => hub.open(call),
  };
  return {
    handlers: Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, outage.watched(handler)])),
    hub,
  };
}
