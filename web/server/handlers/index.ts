import type { Bench } from '../../../operations/bench.js';
import type { Call, Handler } from '../call.js';
import { Hub } from '../live/hub.js';
import type { Outage } from '../outage.js';
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

/** What each route does that needs a service. */
export function allHandlers(
  bench: Bench,
  outage: Outage,
  version: string,
  readOnly = false,
): { handlers: Record<string, Handler>; hub: Hub } {
  const hub = new Hub(bench, outage, version, readOnly);
  const handlers = {
    ...homeHandlers(bench),
    ...batchHandlers(bench),
    ...runHandlers(bench),
    ...downloadHandlers(bench),
    ...resultHandlers(bench),
    ...figureHandlers(bench),
    ...searchHandlers(bench),
    ...sqlHandlers(bench),
    ...pairHandlers(bench),
    ...personHandlers(bench),
    ...steeringHandlers(bench),
    live: (call: Call) => hub.open(call),
  };
  return {
    handlers: Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, outage.watched(handler)])),
    hub,
  };
}
