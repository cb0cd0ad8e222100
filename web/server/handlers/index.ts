import type { Bench } from '../../../operations/bench.js';
import type { Handler } from '../call.js';
import type { Outage } from '../outage.js';
import { batchHandlers } from './batches.js';
import { homeHandlers } from './home.js';
import { runHandlers } from './runs.js';

/** What each route does that needs a service. */
export function allHandlers(
  bench: Bench,
  outage: Outage,
  _version: string,
): { handlers: Record<string, Handler>; close: () => void } {
  const handlers = { ...homeHandlers(bench), ...batchHandlers(bench), ...runHandlers(bench) };
  return {
    handlers: Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, outage.watched(handler)])),
    close: () => undefined,
  };
}
