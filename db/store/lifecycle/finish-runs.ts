import { causeOfEnd } from '../../../domain/run/end-cause.js';
import type { RunEnd } from '../../../domain/run/run.js';
import { type Statements, storable } from '../../statements.js';
import { missingRun } from '../missing.js';
import { TRIP_BREAKER } from './breaker.js';

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
  ), counted as (${TRIP_BREAKER}
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
