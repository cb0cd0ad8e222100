import type { BatchState } from '../../../domain/model/messages.js';
import type { Statements } from '../../statements.js';
import { missingBatch } from '../missing.js';
import { finishRuns } from './finish-runs.js';

export async function startBatch(run: Statements, batchId: string): Promise<void> {
  await changeBatch(
    run,
    'startBatch',
    batchId,
    `status = 'running', started_at = coalesce(started_at, now()) where batch_id = $1 and status = 'queued'`,
    [],
  );
}

export async function batchState(run: Statements, batchId: string): Promise<BatchState> {
  const [row] = await run<BatchState>(
    'batchState',
    `select b.concurrency, b.paused_at is not null as paused, b.allocation is not null as allocates,
           array(
             select distinct r.shard from runs r where r.batch_id = b.batch_id and r.status <> 'ended' order by r.shard
           ) as "openShards"
         from batches b where b.batch_id = $1`,
    [batchId],
  );
  if (row === undefined) throw missingBatch(batchId);
  return row;
}

export async function finishBatch(run: Statements, batchId: string, status: 'ended' | 'cancelled'): Promise<boolean> {
  if (status === 'cancelled') {
    const open = await run<{ runId: string }>(
      'openOfBatch',
      `select run_id as "runId" from runs where batch_id = $1 and status <> 'ended'`,
      [batchId],
    );
    await finishRuns(
      run,
      open.map(({ runId }) => runId),
      { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null },
    );
  }
  const [row] = await run<{ known: boolean; open: boolean }>(
    'finishBatch',
    `with changed as (
           update batches set status = $2, ended_at = now()
           where batch_id = $1 and status in ('queued', 'running')
             and ($2 = 'cancelled' or not exists (select from runs where batch_id = $1 and status <> 'ended'))
         )
         select exists (select from batches where batch_id = $1) as known,
           exists (select from runs where batch_id = $1 and status <> 'ended') as open`,
    [batchId, status],
  );
  if (row?.known !== true) throw missingBatch(batchId);
  return !row.open;
}

async function changeBatch(
  run: Statements,
  operation: string,
  batchId: string,
  change: string,
  values: unknown[],
): Promise<void> {
  const [row] = await run<{ known: boolean }>(
    operation,
    `with changed as (
         update batches set ${change}
       )
       select exists (select from batches where batch_id = $1) as known`,
    [batchId, ...values],
  );
  if (row?.known !== true) throw missingBatch(batchId);
}
