import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { EventLog } from '../../domain/ports/record/events.js';
import { failures } from './failures.js';
import { heartbeat } from './heartbeat.js';
import { retryEvents } from './retry-events.js';

/** The interceptors of every activity, outermost first. */
export const activityInterceptors = (ports: { store: EventLog }): ActivityInterceptorsFactory[] => [
  failures,
  retryEvents(ports.store),
  heartbeat,
];
