import { setTimeout as sleep } from 'node:timers/promises';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type EventsRequest, eventsRequestSchema } from '../../domain/requests/reading.js';
import type { EventRow } from '../../domain/views/events.js';
import { isOutage } from '../as-bench-error.js';
import type { Bench } from '../bench.js';
import { findRunOrBatch } from './find-run-or-batch.js';

const POLL_MS = 1000;
/** Numbers are given before rows are committed: a follower looks back so far for those that came late. */
const LOOK_BACK = 200;

interface Filter {
  runId?: string;
  batchId?: string;
  kinds?: string[];
}

/** Events, oldest first; `more`: there are older ones. */
export async function events(bench: Bench, input: EventsRequest = {}): Promise<{ events: EventRow[]; more: boolean }> {
  const request = checkedRequest(eventsRequestSchema, input);
  const { limit } = request;
  const { queries } = await bench.database();
  // One more tells whether there are more.
  const found = await queries.events({ ...(await filterOf(bench, request)), limit: limit + 1 });
  return { events: found.slice(-limit), more: found.length > limit };
}

export type EventsProgress =
  | { kind: 'event'; event: EventRow }
  /** Services do not answer, and are being started again. */
  | { kind: 'outage' }
  | { kind: 'recovered' };

/** Each event once as it comes, until the run or batch has ended or the signal is aborted. Outages are waited out. */
export async function* followEvents(
  bench: Bench,
  input: EventsRequest,
  signal: AbortSignal,
): AsyncGenerator<EventsProgress, void, undefined> {
  const request = checkedRequest(eventsRequestSchema, input);
  const filter = await filterOf(bench, request);
  const told = new Set<number>();
  let waiting = false;
  while (!signal.aborted) {
    try {
      const { queries } = await bench.database();
      // Asked first: what belongs to something that has ended is then complete.
      const over = await hasEnded(bench, filter);
      const newest = Math.max(0, ...told);
      const fresh = await queries.events(
        told.size === 0
          ? { ...filter, limit: request.limit }
          : { ...filter, afterEventId: Math.max(0, newest - LOOK_BACK), limit: 100_000 },
      );
      // What is older than the first that was told was beyond the limit.
      const oldest = told.size === 0 ? 0 : Math.min(...told);
      for (const event of fresh) {
        if (told.has(event.eventId) || event.eventId < oldest) continue;
        told.add(event.eventId);
        yield { kind: 'event', event };
      }
      if (waiting) yield { kind: 'recovered' };
      waiting = false;
      if (over) return;
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (!waiting) yield { kind: 'outage' };
      waiting = true;
      await bench.reconnect();
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function filterOf(bench: Bench, { of, kind }: EventsRequest): Promise<Filter> {
  const filter: Filter = kind === undefined ? {} : { kinds: kind };
  if (of === undefined) return filter;
  const found = await findRunOrBatch(bench, of);
  return found.kind === 'run' ? { ...filter, runId: found.run.runId } : { ...filter, batchId: found.batch.batchId };
}

async function hasEnded(bench: Bench, { runId, batchId }: Filter): Promise<boolean> {
  const { queries } = await bench.database();
  if (runId !== undefined) return (await queries.findRun(runId)).status === 'ended';
  if (batchId !== undefined) return ['ended', 'cancelled'].includes((await queries.findBatch(batchId)).status);
  return false;
}
