import { causeOfEnd } from '../../../domain/run/end-cause.js';
import type { RunEnd } from '../../../domain/run/run.js';
import { type Statements, storable } from '../../statements.js';
import { missingRun } from '../missing.js';

/** Runs in a row that ended by the cause $5, with those of this statement. */
const FAILING = `case when b.failing_cause = $5::text then b.failing_runs + o.runs else o.runs end`;

/** Counts under the lock of the batch's row. The batch pauses itself after too many in a row. */
const FINISH_RUNS = `
  with ended as (
    update runs set status = 'ended', end_reason = $2, final_evaluation = $3, detail = $4, end_cause = $5::text,
      waiting_since = null, ended_at = now(), updated_at = now()
    where run_id = any ($1) and status <> 'ended'
    returning run_id, batch_id
  ), of_batch as (
    select batch_id, count(*)::int as runs, max(run_id) as run_id from ended group by batch_id
  ), described as (
    select o.batch_id, coalesce($4::text, (
      select e.detail from events e where e.run_id = o.run_id and e.kind = 'evaluator_error' order by e.at desc limit 1
    )) as detail
    from of_batch o
  ), counted as (
    update batches b set failing_runs = case when $5::text is null then 0 else ${FAILING} end, failing_cause = $5::text,
      (paused_at, pause_reason) = (
        select case when trips then now() else b.paused_at end,
          case when trips then left(concat_ws(': ', ${FAILING} || case ${FAILING} when 1 then ' run' else ' runs' end || ' in a row ended by a fault of the ' || $5::text, o.detail), 700)
            else b.pause_reason end
        from (
          select $5::text is not null and ${FAILING} >= b.breaker and b.paused_at is null and b.status in ('queued', 'running')
            and (b.allocation is not null or exists (
              select from runs q where q.batch_id = b.batch_id and q.status = 'queued' and q.run_id <> all ($1)
            )) as trips
        ) breaker
      )
    from (select * from of_batch join described using (batch_id)) o
    where b.batch_id = o.batch_id and b.breaker is not null and ($5::text is not null or b.failing_runs > 0)
    returning b.batch_id, b.paused_at, b.pause_reason
  )
  insert into events (batch_id, kind, key, detail)
  select batch_id, 'batch_paused', 'paused-' || paused_at, pause_reason from counted where pause_reason is not null
  on conflict do nothing`;

export async function finishRun(run: Statements, runId: string, end: RunEnd): Promise<void> {
  const [known] = await run('known', 'select from runs where run_id = $1', [runId]);
  if (known === undefined) throw missingRun(runId);
  await finishRuns(run, [runId], end);
}

export async function finishRuns(run: Statements, runIds: readonly string[], end: RunEnd): Promise<void> {
  const detail = end.detail === null ? null : storable(end.detail);
  await run('finishRuns', FINISH_RUNS, [runIds, end.endReason, end.finalEvaluation, detail, causeOfEnd(end)]);
}
