import type { BatchPageRequest, ForecastRun } from '../../../domain/ports/reading/batch-pages.js';
import type {
  BatchHead,
  BatchMatrix,
  BatchPage,
  BatchRow,
  BatchSpend,
  Ends,
} from '../../../domain/views/batch-pages.js';
import type { UsageForecast } from '../../../domain/views/forecast.js';
import type { Statements } from '../../statements.js';
import { missingBatch } from '../../store/missing.js';
import { unreachableHosts } from '../operations.js';
import { blockerOf } from '../blocker.js';
import { providerTroubles } from '../provider-troubles.js';
import { BATCH_SUMMARY, batchSummary, type BatchSummaryRow, isoTime, isoTimeOrNull, OWN_BATCH } from '../summaries.js';
import { trainingState } from '../batch-status.js';
import { cursorOf, placeOf } from './cursor.js';

const OF_AGENTS = "x.end_reason not in ('infra_error', 'config_error', 'cancelled', 'budget')";
const ended = (which: string): string => `coalesce(sum(x.runs) filter (where ${which}), 0)::int`;
/** Ended runs (`batch_exits x`) by outcome: decisions of people, faults, and ends by agents. */
const ENDS = `jsonb_build_object(
  'infra', ${ended(`x.end_reason in ('infra_error', 'config_error')`)},
  'cancelled', ${ended(`x.end_reason in ('cancelled', 'budget')`)},
  'failed', ${ended(`${OF_AGENTS} and x.outcome = 'failed'`)},
  'complete', ${ended(`${OF_AGENTS} and x.outcome = 'complete'`)},
  'incomplete', ${ended(`${OF_AGENTS} and coalesce(x.outcome, 'incomplete') = 'incomplete'`)})`;

type Row = BatchSummaryRow & { byStatus: Record<string, number> | null; ends: Ends; models: string[]; tasks: string[] };

/** Each batch with its runs' counts, in one pass over the runs of all. */
const ROWS = (where: string): string => `
  with listed as materialized (${BATCH_SUMMARY} ${where}),
  cells as materialized (
    select r.batch_id, r.status, r.model_name, r.task_id, count(*) as runs
    from runs r where r.batch_id in (select "batchId" from listed) group by 1, 2, 3, 4
  )
  select listed.*,
    (select jsonb_object_agg(status, runs) from (
       select c.status, sum(c.runs)::int as runs from cells c where c.batch_id = listed."batchId" group by 1
     ) counted) as "byStatus",
    (select ${ENDS} from batch_exits x where x.batch_id = listed."batchId") as ends,
    array(select c.model_name from cells c where c.batch_id = listed."batchId" group by 1 order by 1) as models,
    array(select c.task_id from cells c where c.batch_id = listed."batchId" group by 1 order by 1) as tasks
  from listed
  order by listed."createdAt" desc, listed."batchId" desc`;

function batchRow({ byStatus, ends, models, tasks, ...row }: Row): BatchRow {
  const { runs, ...batch } = batchSummary(row);
  return { ...batch, totalRuns: runs, byStatus: byStatus ?? {}, ends, models, tasks };
}

export async function batchPage(run: Statements, request: BatchPageRequest): Promise<BatchPage> {
  const { status, origin, text, after, limit } = request;
  const [, time, id] = after === undefined ? ['batches', null, null] : placeOf(after, 'batches', 3);
  const filter = `${OWN_BATCH} and ($1::text[] is null or b.status = any ($1)) and ($2::text[] is null or b.origin = any ($2))
    and case when $3::text is null then b.archived_at is null
      else strpos(lower(concat_ws(' ', b.batch_id, b.name, b.note, array_to_string(b.tags, ' '))), $3) > 0 end`;
  const values = [status ?? null, origin ?? null, text === undefined || text === '' ? null : text.toLowerCase()];
  const [rows, [counted], [place]] = await Promise.all([
    run<Row>(
      'batchPage',
      ROWS(`where ${filter} and ($4::text is null or (b.created_at, b.batch_id) < ($4::timestamptz, $5::text))
        order by b.created_at desc, b.batch_id desc limit $6`),
      [...values, time, id, limit + 1],
    ),
    run<{ total: number }>('batchTotal', `select count(*)::int as total from batches b where ${filter}`, values),
    // Of the last row of the page, to the microsecond, which a Date does not have.
    run<{ at: string; batchId: string }>(
      'batchPlace',
      `select b.created_at::text as at, b.batch_id as "batchId" from batches b
       where ${filter} and ($4::text is null or (b.created_at, b.batch_id) < ($4::timestamptz, $5::text))
       order by b.created_at desc, b.batch_id desc offset $6 - 1 limit 1`,
      [...values, time, id, limit],
    ),
  ]);
  const next = rows.length > limit && place !== undefined ? cursorOf(['batches', place.at, place.batchId]) : null;
  return { batches: rows.slice(0, limit).map(batchRow), total: counted?.total ?? 0, next };
}

export async function batchRowsOf(run: Statements, batchIds: readonly string[]): Promise<BatchRow[]> {
  return (await run<Row>('batchRowsOf', ROWS('where b.batch_id = any ($1::text[])'), [batchIds])).map(batchRow);
}

interface Counts {
  byStatus: Record<string, number> | null;
  byEndReason: Record<string, number> | null;
  replaced: number;
  endReasons: number;
  endReason: BatchHead['batch']['endReason'];
  finals: number;
  finalEvaluation: BatchHead['batch']['finalEvaluation'];
  bests: number;
  bestScore: number | null;
  lasts: number;
  finalScore: number | null;
  ends: Ends;
  faults: BatchHead['faults'];
  exits: BatchHead['exits'];
  specification: Record<string, unknown>;
  forecast: UsageForecast | null;
  allocation: BatchHead['batch']['allocation'];
}

/** How many different values there are, none counted as one. */
const kinds = (column: string): string =>
  `count(distinct ${column}) + (case when count(*) > count(${column}) then 1 else 0 end)`;

/** A batch without its runs: counted where they lie. */
export async function batchHead(run: Statements, batchId: string): Promise<Omit<BatchHead, 'forecast'>> {
  const [[row], [counts], providerErrors, away] = await Promise.all([
    run<BatchSummaryRow>('batchHead', `${BATCH_SUMMARY} where b.batch_id = $1`, [batchId]),
    run<Counts>(
      'batchCounts',
      `select
         (select jsonb_object_agg(status, runs) from (select status, count(*) as runs from runs where batch_id = $1 group by 1) c) as "byStatus",
         (select jsonb_object_agg(end_reason, runs) from (
            select end_reason, count(*) as runs from runs where batch_id = $1 and end_reason is not null group by 1) c) as "byEndReason",
         all_runs.*,
         (select ${ENDS} from batch_exits x where x.batch_id = $1) as ends,
         (select coalesce(jsonb_agg(jsonb_build_object('fault', fault, 'runs', runs, 'firstRun', first) order by runs desc, first), '[]') from (
            select end_reason || ': ' || coalesce(detail, 'no details recorded') as fault, count(*) as runs,
              (array_agg(run_id order by ordinal))[1] as first
            from runs where batch_id = $1 and end_reason in ('infra_error', 'config_error') group by 1) f) as faults,
         (select coalesce(jsonb_agg(jsonb_build_object('endReason', end_reason, 'finalEvaluation', final_evaluation, 'status', status,
              'outcome', outcome, 'runs', runs) order by runs desc, end_reason, final_evaluation, status), '[]') from batch_exits
          where batch_id = $1) as exits,
         (select spec from batches where batch_id = $1) as specification, (select forecast from batches where batch_id = $1) as forecast,
         (select allocation from batches where batch_id = $1) as allocation
       from (
         select count(*) filter (where r.replaces is not null)::int as replaced,
           (${kinds('r.end_reason')})::int as "endReasons", min(r.end_reason) as "endReason",
           (${kinds('r.final_evaluation')})::int as finals, min(r.final_evaluation) as "finalEvaluation",
           (${kinds('r.best_score')})::int as bests, min(r.best_score) as "bestScore",
           (${kinds('r.final_score')})::int as lasts, min(r.final_score) as "finalScore"
         from runs r where r.batch_id = $1
       ) all_runs`,
      [batchId],
    ),
    providerTroubles(run, { batchId }),
    unreachableHosts(run, batchId),
  ]);
  if (row === undefined || counts === undefined) throw missingBatch(batchId);
  const { runs, ...batch } = batchSummary(row);
  return {
    batch: {
      ...batch,
      totalRuns: runs,
      byStatus: counts.byStatus ?? {},
      byEndReason: counts.byEndReason ?? {},
      replaced: counts.replaced,
      episodes: batch.training ? await trainingState(run, batchId) : null,
      providerErrors,
      unreachableHosts: away,
      ...(await blockerOf(run, {
        batchId,
        isOver: batch.endedAt !== null,
        byStatus: counts.byStatus ?? {},
        providerErrors,
      })),
      forecast: counts.forecast,
      allocation: counts.allocation,
      endReason: counts.endReasons === 1 ? counts.endReason : null,
      finalEvaluation: counts.finals === 1 ? counts.finalEvaluation : null,
      bestScore: counts.bests === 1 ? counts.bestScore : null,
      finalScore: counts.lasts === 1 ? counts.finalScore : null,
    },
    ends: counts.ends,
    faults: counts.faults,
    exits: counts.exits,
    specification: counts.specification,
  };
}

/** How many of its runs may be in flight. */
export async function concurrencyOf(run: Statements, batchId: string): Promise<number> {
  const [row] = await run<{ concurrency: number }>(
    'concurrencyOf',
    'select concurrency from batches where batch_id = $1',
    [batchId],
  );
  if (row === undefined) throw missingBatch(batchId);
  return row.concurrency;
}

/** What forecasts take of a batch's runs. */
export async function forecastRuns(run: Statements, batchId: string): Promise<ForecastRun[]> {
  type Times = { startedAt: Date | null; endedAt: Date | null };
  const rows = await run<Omit<ForecastRun, keyof Times> & Times>(
    'forecastRuns',
    `select model_name as model, task_id as task, status, end_reason as "endReason", step as steps, max_steps as "maxSteps",
       trim_scale(cost_usd)::text as "costUsd", started_at as "startedAt", ended_at as "endedAt"
     from runs where batch_id = $1 order by ordinal`,
    [batchId],
  );
  return rows.map((row) => ({ ...row, startedAt: isoTimeOrNull(row.startedAt), endedAt: isoTimeOrNull(row.endedAt) }));
}

type Cell = Omit<BatchMatrix['cells'][number], 'forecast'>;

/** Models by tasks. Best: suspect values left out. */
export async function batchMatrix(
  run: Statements,
  batchId: string,
): Promise<Omit<BatchMatrix, 'cells'> & { cells: Cell[] }> {
  const [cells, tasks] = await Promise.all([
    run<Cell>(
      'batchMatrix',
      `select r.model_name as model, r.task_id as task, count(*)::int as runs,
         count(*) filter (where r.status = 'ended')::int as ended,
         count(*) filter (where r.status in ('starting', 'running', 'finishing'))::int as running,
         count(*) filter (where r.status in ('queued', 'waiting_gpu', 'waiting_host'))::int as waiting,
         count(*) filter (where r.end_reason in ('infra_error', 'config_error'))::int as faults,
         case min(v.direction) when 'minimize' then min(found.best_attempt) else max(found.best_attempt) end as best,
         (array_agg(r.run_id order by case v.direction when 'minimize' then found.best_attempt else -found.best_attempt end, r.ordinal)
           filter (where found.best_attempt is not null))[1] as "bestRun",
         coalesce(sum(found.suspects), 0)::int as suspect, trim_scale(sum(r.cost_usd))::text as "costUsd"
       from runs r join task_versions v on v.content_hash = r.task_hash left join run_results found on found.run_id = r.run_id
       where r.batch_id = $1 group by 1, 2 order by 1, 2`,
      [batchId],
    ),
    run<BatchMatrix['tasks'][number]>(
      'batchTasks',
      `select r.task_id as task, v.primary_metric as primary, v.direction,
         (select base.value from baselines base where base.content_hash = r.task_hash) as baseline
       from (select max(ordinal) as ordinal from runs where batch_id = $1 group by task_id) latest
       join runs r on r.batch_id = $1 and r.ordinal = latest.ordinal
       join task_versions v on v.content_hash = r.task_hash order by r.task_id`,
      [batchId],
    ),
  ]);
  return { batchId, models: [...new Set(cells.map(({ model }) => model))], tasks, cells };
}

/** Costs of answered calls, and runs in flight, in equal buckets of the batch's time so far. */
export async function spendBuckets(
  run: Statements,
  batchId: string,
  buckets: number,
): Promise<Omit<BatchSpend, 'forecast'>> {
  const [head] = await run<{ budgetUsd: string | null; chargedUsd: string; seconds: number; first: string }>(
    'spendHead',
    `select trim_scale(budget_usd)::text as "budgetUsd", trim_scale(charged_usd)::text as "chargedUsd",
       greatest(1, ceil(extract(epoch from coalesce(ended_at, now()) - coalesce(started_at, created_at)) / $2))::int as seconds,
       coalesce(started_at, created_at)::text as first
     from batches where batch_id = $1`,
    [batchId, buckets],
  );
  if (head === undefined) throw missingBatch(batchId);
  const rows = await run<Omit<BatchSpend['buckets'][number], 'at'> & { at: Date }>(
    'spendBuckets',
    `with spent as (
       select least(greatest(floor(extract(epoch from coalesce(c.ended_at, c.created_at) - $3::timestamptz) / $2), 0), $4 - 1) as bucket, sum(c.cost_usd) as usd
       from runs r join model_calls c on c.run_id = r.run_id and c.status = 'confirmed' where r.batch_id = $1 group by 1
     ), moved as (
       select greatest(0, ceil(extract(epoch from t.at - $3::timestamptz) / $2) - 1) as bucket, sum(t.flying) as flying, sum(t.ended) as ended
       from runs r cross join lateral (values (r.started_at, 1, 0), (r.ended_at, 0, 1),
         (case when r.started_at is not null and r.ended_at is not null then greatest(r.started_at, r.ended_at) end, -1, 0)) t (at, flying, ended)
       where r.batch_id = $1 and t.at is not null group by 1
     ), marks as (select bucket, $3::timestamptz + make_interval(secs => bucket * $2) as at from generate_series(0, $4 - 1) bucket)
     select m.at, trim_scale(coalesce(s.usd, 0))::text as "costUsd",
       trim_scale(sum(coalesce(s.usd, 0)) over so_far)::text as "cumulativeUsd",
       coalesce(sum(f.flying) over so_far, 0)::int as "inFlight", coalesce(sum(f.ended) over so_far, 0)::int as ended
     from marks m left join spent s on s.bucket = m.bucket left join moved f on f.bucket = m.bucket
     window so_far as (order by m.bucket)
     order by m.bucket`,
    [batchId, head.seconds, head.first, buckets],
  );
  const { budgetUsd, chargedUsd, seconds } = head;
  return {
    ...{ batchId, bucketSeconds: seconds, budgetUsd, chargedUsd },
    buckets: rows.map((row) => ({ ...row, at: isoTime(row.at) })),
  };
}
