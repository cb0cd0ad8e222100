import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { EventLog } from '../../domain/ports/record/events.js';
import { failures } from './failures.js';
import { heartbeat } from './heartbeat.js';
import { retryEvents } from './retry-events.js';

/** What every activity is wrapped in, outermost first. */
export const activityInterceptors = (ports: { store: EventLog }): ActivityInterceptorsFactory[] => [
  failures,
  retryEvents(ports.store),
  heartbeat,
];
