import { BenchError } from '../domain/errors.js';
import type { EndReason } from '../domain/run/outcomes.js';
import type { BatchControl } from '../domain/ports/record/batch-control.js';
import { DEFAULT_PROJECT } from '../domain/home/project.js';
import type { Statements } from './statements.js';
import { missingBatch } from './store/missing.js';

export const batchControl = (run: Statements): BatchControl => ({
  pause: (batchId) => pauseBatch(run, batchId),
  unpause: (batchId) => unpauseBatch(run, batchId),
  raiseBudget: (batchId, budgetUsd) => raiseBudget(run, batchId, budgetUsd),
  stoppedByOldBudget: (batchId) => runsStoppedByOldBudget(run, batchId),
  replaceable: (of, ends) => replaceableRuns(run, of, ends),
  openTasks: (batchId) => openTasks(run, batchId),
  attempts: (batchId) => highestAttempts(run, batchId),
  named: (name) => batchOfName(run, name),
});

async function pauseBatch(run: Statements, batchId: string): Promise<boolean> {
  const rows = await run(
    'pause',
    `update batches set paused_at = coalesce(paused_at, now())
         where batch_id = $1 and status in ('queued', 'running') returning 1`,
    [batchId],
  );
  return rows.length > 0;
}

async function unpauseBatch(run: Statements, batchId: string): Promise<void> {
  await run(
    'unpause',
    `update batches set paused_at = null, pause_reason = null, failing_cause = null, failing_runs = 0
         where batch_id = $1`,
    [batchId],
  );
}

async function raiseBudget(run: Statements, batchId: string, budgetUsd: string): Promise<void> {
  const [row] = await run<{ before: string | null; raised: boolean | null }>(
    'raiseBudget',
    `with raised as (
           update batches set budget_usd = $2::numeric where batch_id = $1 and budget_usd < $2::numeric
           returning batch_id
         ), recorded as (
           insert into events (batch_id, kind, key, detail)
           select batch_id, 'budget_raised', 'budget-' || trim_scale($2::numeric),
             'the budget is now ' || trim_scale($2::numeric) || ' US dollars'
           from raised on conflict do nothing
         )
         select trim_scale(budget_usd)::text as before,
           budget_usd = $2::numeric or exists (select from raised) as raised
         from batches where batch_id = $1`,
    [batchId, budgetUsd],
  );
  if (row === undefined) throw missingBatch(batchId);
  if (row.before === null)
    throw new BenchError('usage', `batch ${batchId} has no budget to raise`, {
      code: 'budget.not_set',
      remedy: 'A budget can only be set at submit.',
      fields: { budget: true },
    });
  if (!row.raised)
    throw new BenchError('usage', `batch ${batchId} has a larger budget already: ${row.before} US dollars`, {
      code: 'budget.too_small',
      remedy: 'Give the new total, including what was spent already.',
    });
}

function runsStoppedByOldBudget(run: Statements, batchId: string): Promise<{ runId: string; ended: boolean }[]> {
  return run(
    'stoppedByOldBudget',
    // Never continue a run that the new budget stopped.
    `select r.run_id as "runId", r.status = 'ended' as ended
         from runs r join batches b on b.batch_id = r.batch_id left join lateral (
           select max(e.at) as at from events e where e.run_id = r.run_id and e.kind = 'budget_exhausted'
         ) spent on true
         where r.batch_id = $1
           and r.met_budget_usd < b.budget_usd
           and not exists (select from runs successor where successor.replaces = r.run_id)
           and (
             r.end_reason = 'budget'
             -- A run that has called its model since the budget was raised continues by itself.
             or r.status <> 'ended' and spent.at is not null
               and not exists (select from model_calls c where c.run_id = r.run_id and c.created_at > spent.at)
           )
         order by r.ordinal`,
    [batchId],
  );
}

function replaceableRuns(
  run: Statements,
  of: { batchId: string } | { runId: string },
  ends: readonly EndReason[],
): Promise<{ runId: string; endReason: EndReason; lastStep: number }[]> {
  return run(
    'replaceable',
    `select r.run_id as "runId", r.end_reason as "endReason",
           coalesce((
             select max(s.step) from steps s
             where s.run_id = r.run_id and s.executed_at is not null and s.action is not null
               and s.requested is distinct from 'submit'
           ), 0) as "lastStep"
         from runs r
         where ($1::text is null or r.batch_id = $1) and ($2::text is null or r.run_id = $2)
           and r.status = 'ended' and r.end_reason = any ($3)
           and not exists (select from runs successor where successor.replaces = r.run_id)
         order by r.ordinal`,
    ['batchId' in of ? of.batchId : null, 'runId' in of ? of.runId : null, ends],
  );
}

async function openTasks(run: Statements, batchId: string): Promise<string[]> {
  const rows = await run<{ hash: string }>(
    'openTasks',
    `select distinct task_hash as hash from runs where batch_id = $1 and status <> 'ended'`,
    [batchId],
  );
  return rows.map(({ hash }) => hash);
}

function highestAttempts(
  run: Statements,
  batchId: string,
): Promise<{ model: string; task: string; attempt: number }[]> {
  return run(
    'attempts',
    `select model_name as model, task_id as task, max(attempt) as attempt from runs
         where batch_id = $1 group by model_name, task_id`,
    [batchId],
  );
}

async function batchOfName(
  run: Statements,
  name: string,
): Promise<{ batchId: string; spec: Record<string, unknown> } | null> {
  const [row] = await run<{ batchId: string; spec: Record<string, unknown> }>(
    'named',
    'select batch_id as "batchId", spec from batches where project = $1 and name = $2',
    [DEFAULT_PROJECT, name],
  );
  return row ?? null;
}
