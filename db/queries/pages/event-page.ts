import type { EventPageRequest } from '../../../domain/ports/reading/event-pages.js';
import type { EventRow } from '../../../domain/views/events.js';
import type { Statements } from '../../statements.js';
import { isoTime } from '../summaries.js';
import { cursorOf, placeOf } from './cursor.js';

/** Newest first; a batch's with those of its runs. */
export async function eventPage(
  run: Statements,
  { runId, batchId, kind, after, limit }: EventPageRequest,
): Promise<{ events: EventRow[]; next: string | null }> {
  const before = after === undefined ? null : placeOf(after, 'events', 2)[1];
  const rows = await run<Omit<EventRow, 'at'> & { at: Date }>(
    'eventPage',
    `select event_id::float8 as "eventId", run_id as "runId", batch_id as "batchId", kind, key, detail, at from events
     where ($1::text is null or run_id = $1) and ($2::text is null or batch_id = $2) and ($3::text[] is null or kind = any ($3))
       and ($4::bigint is null or event_id < $4)
     order by event_id desc limit $5`,
    [runId ?? null, batchId ?? null, kind ?? null, before, limit + 1],
  );
  const events = rows.slice(0, limit).map((row) => ({ ...row, at: isoTime(row.at) }));
  const last = events.at(-1);
  return { events, next: rows.length > limit && last !== undefined ? cursorOf(['events', last.eventId]) : null };
}

/** Run, batch and key name one event: a unique index has it. */
export async function eventDetail(
  run: Statements,
  { runId, batchId, key }: { runId: string | null; batchId: string | null; key: string },
): Promise<string | null> {
  const where =
    runId !== null
      ? 'run_id = $1'
      : batchId !== null
        ? 'run_id is null and batch_id = $1'
        : '$1::text is null and run_id is null and batch_id is null';
  const [row] = await run<{ detail: string }>('eventDetail', `select detail from events where ${where} and key = $2`, [
    runId ?? batchId,
    key,
  ]);
  return row?.detail ?? null;
}
