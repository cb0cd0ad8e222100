import { setTimeout as sleep } from 'node:timers/promises';
import type { EventReads } from '../../domain/ports/reading/events.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type EventsRequest, eventsRequestSchema } from '../../domain/requests/reading.js';
import type { EventRow } from '../../domain/views/events.js';
import { isOutage } from '../as-bench-error.js';
import { type FindPorts, findRunOrBatch } from './find-run-or-batch.js';

const POLL_MS = 1000;
/** Numbers are assigned before rows commit: a follower looks back this far for late ones. */
const LOOK_BACK = 200;

export type EventPorts = FindPorts & { queries: EventReads };

interface Filter {
  runId?: string;
  batchId?: string;
  kinds?: string[];
}

/** Oldest first; `more`: there are older ones. */
export async function events(
  ports: EventPorts,
  input: EventsRequest = {},
): Promise<{ events: EventRow[]; more: boolean }> {
  const request = checkedRequest(eventsRequestSchema, input);
  const { limit } = request;
  const found = await ports.queries.events({ ...(await filterOf(ports, request)), limit: limit + 1 });
  return { events: found.slice(-limit), more: found.length > limit };
}

export type EventsProgress =
  | { kind: 'event'; event: EventRow }
  /** Services do not answer and are being restarted. */
  | { kind: 'outage' }
  | { kind: 'recovered' };

/** Yields each event once until the run or batch ends or the signal aborts. Waits out outages. */
export async function* followEvents(
  ports: EventPorts & { reconnect(): Promise<void> },
  input: EventsRequest,
  signal: AbortSignal,
): AsyncGenerator<EventsProgress, void, undefined> {
  const request = checkedRequest(eventsRequestSchema, input);
  const filter = await filterOf(ports, request);
  const shown = new Set<number>();
  let waiting = false;
  while (!signal.aborted) {
    try {
      // Read first: the events of an ended run or batch are then complete.
      const over = await hasEnded(ports, filter);
      const newest = Math.max(0, ...shown);
      const fresh = await ports.queries.events(
        shown.size === 0
          ? { ...filter, limit: request.limit }
          : { ...filter, afterEventId: Math.max(0, newest - LOOK_BACK), limit: 100_000 },
      );
      // Events older than the first one shown were beyond the limit.
      const oldest = shown.size === 0 ? 0 : Math.min(...shown);
      for (const event of fresh) {
        if (shown.has(event.eventId) || event.eventId < oldest) continue;
        shown.add(event.eventId);
        yield { kind: 'event', event };
      }
      if (waiting) yield { kind: 'recovered' };
      waiting = false;
      if (over) return;
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (!waiting) yield { kind: 'outage' };
      waiting = true;
      await ports.reconnect();
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function filterOf(ports: FindPorts, { of, kind }: EventsRequest): Promise<Filter> {
  const filter: Filter = kind === undefined ? {} : { kinds: kind };
  if (of === undefined) return filter;
  const found = await findRunOrBatch(ports, of);
  return found.kind === 'run' ? { ...filter, runId: found.run.runId } : { ...filter, batchId: found.batch.batchId };
}

async function hasEnded({ queries }: FindPorts, { runId, batchId }: Filter): Promise<boolean> {
  if (runId !== undefined) return (await queries.findRun(runId)).status === 'ended';
  if (batchId !== undefined) return ['ended', 'cancelled'].includes((await queries.findBatch(batchId)).status);
  return false;
}
