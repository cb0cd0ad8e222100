import type { Changes, Watched } from '../../../domain/ports/reading/change-pages.js';
import type { EventRow } from '../../../domain/views/events.js';
import type { Statements } from '../../statements.js';
import { listEvaluations } from '../runs.js';
import { isoTime } from '../summaries.js';

/** Steps before the last that can still change: the outcome of one, and commits that come late. */
const RECENT_STEPS = 200;
const RECENT_EVENTS = 2000;
/** Of an import or a new batch there may be a hundred thousand. */
const MOST_RUNS = 5000;

interface Row {
  now: string;
  runs: Changes['runs'];
  many: string | null;
  steps: Changes['steps'];
  evaluated: boolean;
  events: (Omit<EventRow, 'at'> & { at: string })[];
  batches: Changes['batches'];
}

/** One statement while nothing changes. Ended runs are found by their end, the others are few. */
export async function changedSince(run: Statements, watched: Watched, since: string): Promise<Changes> {
  const [runId, batchId] = ['runId' in watched ? watched.runId : null, 'batchId' in watched ? watched.batchId : null];
  const mine = runId !== null ? 'r.run_id = $2' : batchId !== null ? 'r.batch_id = $2' : '$2::text is null';
  const recent =
    runId === null && batchId === null
      ? `(r.status <> 'ended' and r.updated_at > $1::timestamptz or r.ended_at > $1::timestamptz)`
      : 'r.updated_at > $1::timestamptz';
  const [row] = await run<Row>(
    'changedSince',
    `select clock_timestamp()::text as now,
       (select coalesce(jsonb_agg(jsonb_build_object('runId', r.run_id, 'version', r.xmin::text)), '[]')
         from runs r where changed.many is null and ${mine} and ${recent}) as runs,
       changed.many,
       ${
         runId === null
           ? `'[]'::jsonb as steps, false as evaluated,`
           : `(select coalesce(jsonb_agg(jsonb_build_object('step', s.step, 'version', s.xmin::text || o.status) order by s.step), '[]')
              from steps s join runs o on o.run_id = s.run_id
              where s.run_id = $2 and s.step > o.step - ${RECENT_STEPS}
                and (s.created_at > $1::timestamptz or s.executed_at > $1::timestamptz)) as steps,
            exists (select from evaluations e where e.run_id = $2 and e.status not in ('pending', 'not_run')
              and coalesce(e.ended_at, e.created_at) > $1::timestamptz) as evaluated,`
       }
       (select coalesce(jsonb_agg(jsonb_build_object('eventId', e.event_id, 'runId', e.run_id, 'batchId', e.batch_id, 'kind', e.kind,
           'key', e.key, 'detail', e.detail, 'at', e.at) order by e.event_id), '[]')
         from events e where ${
           runId !== null
             ? 'e.run_id = $2'
             : batchId !== null
               ? 'e.batch_id = $2'
               : `e.event_id > (select coalesce(max(event_id), 0) from events) - ${RECENT_EVENTS}`
         } and e.at > $1::timestamptz) as events,
       (select coalesce(jsonb_agg(jsonb_build_object('batchId', b.batch_id, 'state', concat_ws(' ', b.status, b.paused_at, b.budget_usd, b.charged_usd, b.ended_at))), '[]')
         from batches b where ${
           runId !== null
             ? 'false'
             : batchId !== null
               ? 'b.batch_id = $2'
               : `b.status in ('queued', 'running') or b.ended_at > $1::timestamptz`
         }) as batches
     from (select case when count(*) > ${MOST_RUNS} then max(r.updated_at)::text end as many from runs r where ${mine} and ${recent}) changed`,
    [since, runId ?? batchId],
  );
  const { now, runs, many, steps, evaluated, events, batches } = row!;
  const evaluations =
    evaluated && runId !== null
      ? (await listEvaluations(run, runId, { after: -1, through: null })).filter(
          ({ at }) => Date.parse(at) >= Date.parse(since),
        )
      : [];
  return {
    now,
    runs,
    manyRuns: many,
    steps,
    evaluations,
    events: events.map((event) => ({ ...event, at: isoTime(new Date(event.at)) })),
    batches,
  };
}

/** The database's clock, some seconds ago. */
export async function clockBefore(run: Statements, seconds: number): Promise<string> {
  const [row] = await run<{ at: string }>(
    'clockBefore',
    `select (clock_timestamp() - make_interval(secs => $1))::text as at`,
    [seconds],
  );
  return row!.at;
}
