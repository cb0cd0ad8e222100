import type { BatchState } from '../../domain/messages.js';
import { causeOfEnd } from '../../domain/end-cause.js';
import type { RunStore } from '../../domain/ports/run-store.js';
import { type Statements, storable } from '../statements.js';
import { missingBatch, missingRun } from './missing.js';

type Lifecycle = Pick<
  RunStore,
  | 'setStatus'
  | 'sandboxStarted'
  | 'workspace'
  | 'finishRun'
  | 'finishRuns'
  | 'runEnded'
  | 'runStates'
  | 'startBatch'
  | 'batchState'
  | 'finishBatch'
>;

/** Runs in a row that ended by the cause $5, with those of this statement. */
const FAILING = `case when b.failing_cause = $5::text then b.failing_runs + o.runs else o.runs end`;

/**
 * Ends runs, and counts their ends in the row of their batch, where ends at the same time wait for each other. The batch pauses itself if
 * that makes too many in a row, and some run is still to be started.
 */
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
      (paused_at, paused_because) = (
        select case when trips then now() else b.paused_at end,
          case when trips then left(concat_ws(': ', ${FAILING} || case ${FAILING} when 1 then ' run' else ' runs' end || ' in a row ended by a fault of the ' || $5::text, o.detail), 700)
            else b.paused_because end
        from (
          select $5::text is not null and ${FAILING} >= b.breaker and b.paused_at is null and b.status in ('queued', 'running')
            and (b.allocation is not null or exists (
              select from runs q where q.batch_id = b.batch_id and q.status = 'queued' and q.run_id <> all ($1)
            )) as trips
        ) breaker
      )
    from (select * from of_batch join described using (batch_id)) o
    where b.batch_id = o.batch_id and b.breaker is not null and ($5::text is not null or b.failing_runs > 0)
    returning b.batch_id, b.paused_at, b.paused_because
  )
  insert into events (batch_id, kind, key, detail)
  select batch_id, 'batch_paused', 'paused-' || paused_at, paused_because from counted where paused_because is not null
  on conflict do nothing`;

/** Status of runs and batches. Never changes ended ones. */
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

  const finishRuns: Lifecycle['finishRuns'] = async (runIds, end) => {
    const detail = end.detail === null ? null : storable(end.detail);
    await run('finishRuns', FINISH_RUNS, [runIds, end.endReason, end.finalEvaluation, detail, causeOfEnd(end)]);
  };

  return {
    async setStatus(runId, status) {
      if (status === 'ended') throw new Error(`run ${runId}: a run ends through finishRun, which needs a reason`);
      await changeRun(
        'setStatus',
        runId,
        `status = $2,
           waiting_since = case when $2 like 'waiting%' then coalesce(waiting_since, now()) end, updated_at = now()
         where run_id = $1 and status <> 'ended'`,
        [status],
      );
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
             image_digest = $5, workspace = $6, workspace_limit = $7, unenforced_limits = $8,
             started_at = coalesce(started_at, now()), updated_at = now()
           where run_id = $1 and epoch <= $2 and status <> 'ended'
         )
         select exists (select from runs where run_id = $1) as known`,
        [
          runId,
          at.epoch,
          at.hostId,
          at.isolation,
          at.imageDigest,
          at.workspace,
          at.workspaceLimit ?? null,
          at.unenforcedLimits ?? [],
        ],
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
      const [known] = await run('known', 'select from runs where run_id = $1', [runId]);
      if (known === undefined) throw missingRun(runId);
      await finishRuns([runId], end);
    },

    finishRuns,

    async runEnded(runId) {
      const [row] = await run<{ ended: boolean }>(
        'runEnded',
        `select status = 'ended' as ended from runs where run_id = $1`,
        [runId],
      );
      if (row === undefined) throw missingRun(runId);
      return row.ended;
    },

    async runStates(runIds) {
      const rows = await run<{ runId: string; ended: boolean; epoch: number }>(
        'runStates',
        // A sandbox that was started ahead is not left behind: its run comes, or has just been given its id.
        `select run_id as "runId", status = 'ended' as ended, epoch from runs where run_id = any ($1)
         union all
         select w.run_id, false, 1 from warm_sandboxes w
         where w.run_id = any ($1) and not exists (select from runs r where r.run_id = w.run_id)`,
        [runIds],
      );
      return new Map(rows.map(({ runId, ended, epoch }) => [runId, { ended, epoch }]));
    },

    async startBatch(batchId) {
      await changeBatch(
        'startBatch',
        batchId,
        `status = 'running', started_at = coalesce(started_at, now()) where batch_id = $1 and status = 'queued'`,
        [],
      );
    },

    async batchState(batchId) {
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
    },

    async finishBatch(batchId, status) {
      if (status === 'cancelled') {
        const open = await run<{ runId: string }>(
          'openOfBatch',
          `select run_id as "runId" from runs where batch_id = $1 and status <> 'ended'`,
          [batchId],
        );
        await finishRuns(
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
    },
  };
}
