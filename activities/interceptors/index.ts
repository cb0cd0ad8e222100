import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Departure } from '../../domain/ports/departure.js';
import type { EventLog } from '../../domain/ports/record/events.js';
import { departing } from './departing.js';
import { failures } from './failures.js';
import { heartbeat } from './heartbeat.js';
import { retryEvents } from './retry-events.js';

export const activityInterceptors = (ports: {
  store: EventLog;
  departure: Departure;
}): ActivityInterceptorsFactory[] => [failures, retryEvents(ports.store), heartbeat, departing(ports.departure)];
