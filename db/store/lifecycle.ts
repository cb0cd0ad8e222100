import type { RunStore } from '../../domain/ports/run-store.js';
import { type Statements, storable } from '../statements.js';
import { missingBatch, missingRun } from './missing.js';

type Lifecycle = Pick<
  RunStore,
  'setStatus' | 'sandboxStarted' | 'workspace' | 'finishRun' | 'runEnded' | 'startBatch' | 'finishBatch'
>;

/** Where runs and batches are. Nothing here moves what has ended. */
export function lifecycleStore(run: Statements): Lifecycle {
  const changeRun = async (operation: string, runId: string, change: string, values: unknown[]) => {
    const [row] = await run<{ known: boolean }>(
      operation,
      `with changed as (
         update runs set ${change}
       )
       select exists (select from runs where run_id = $1) as known`,
      [runId, ...values],
    );
    if (row?.known !== true) throw missingRun(runId);
  };
  const changeBatch = async (operation: string, batchId: string, change: string, values: unknown[]) => {
    const [row] = await run<{ known: boolean }>(
      operation,
      `with changed as (
         update batches set ${change}
       )
       select exists (select from batches where batch_id = $1) as known`,
      [batchId, ...values],
    );
    if (row?.known !== true) throw missingBatch(batchId);
  };

  return {
    async setStatus(runId, status) {
      if (status === 'ended') throw new Error(`run ${runId}: a run ends through finishRun, which needs a reason`);
      await changeRun('setStatus', runId, `status = $2, updated_at = now() where run_id = $1 and status <> 'ended'`, [
        status,
      ]);
    },

    async sandboxStarted(runId, at) {
      const [row] = await run<{ known: boolean }>(
        'sandboxStarted',
        `with host as (
           insert into hosts (host_id) select $3 where exists (select from runs where run_id = $1) on conflict do nothing
         ), changed as (
           update runs set
             epoch = $2, host_id = $3,
             -- What once stood without isolation never counts as isolated again.
             isolation = case when isolation = 'none' then 'none' else $4 end,
             image_digest = $5, workspace = $6, workspace_limit = $7, started_at = coalesce(started_at, now()), updated_at = now()
           where run_id = $1 and epoch <= $2 and status <> 'ended'
         )
         select exists (select from runs where run_id = $1) as known`,
        [runId, at.epoch, at.hostId, at.isolation, at.imageDigest, at.workspace, at.workspaceLimit ?? null],
      );
      if (row?.known !== true) throw missingRun(runId);
    },

    async workspace(runId) {
      const [row] = await run<{ workspace: string | null }>(
        'workspace',
        'select workspace from runs where run_id = $1',
        [runId],
      );
      if (row === undefined) throw missingRun(runId);
      if (row.workspace === null) throw new Error(`run ${runId} has no workspace: its sandbox has not been started`);
      return row.workspace;
    },

    async finishRun(runId, end) {
      await changeRun(
        'finishRun',
        runId,
        `status = 'ended', end_reason = $2, final_evaluation = $3, detail = $4, ended_at = now(), updated_at = now()
         where run_id = $1 and status <> 'ended'`,
        [end.endReason, end.finalEvaluation, end.detail === null ? null : storable(end.detail)],
      );
    },

    async runEnded(runId) {
      const [row] = await run<{ ended: boolean }>(
        'runEnded',
        `select status = 'ended' as ended from runs where run_id = $1`,
        [runId],
      );
      if (row === undefined) throw missingRun(runId);
      return row.ended;
    },

    async startBatch(batchId) {
      await changeBatch(
        'startBatch',
        batchId,
        `status = 'running', started_at = coalesce(started_at, now()) where batch_id = $1 and status = 'queued'`,
        [],
      );
    },

    async finishBatch(batchId, status) {
      await changeBatch(
        'finishBatch',
        batchId,
        `status = $2, ended_at = now() where batch_id = $1 and status in ('queued', 'running')`,
        [status],
      );
    },
  };
}
