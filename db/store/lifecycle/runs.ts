import type { RunStatus } from '../../../domain/run/outcomes.js';
import type { RunLifecycle } from '../../../domain/ports/record/run-lifecycle.js';
import type { Statements } from '../../statements.js';
import { missingRun } from '../missing.js';

export async function setStatus(run: Statements, runId: string, status: RunStatus): Promise<void> {
  if (status === 'ended') throw new Error(`run ${runId}: a run ends through finishRun, which needs a reason`);
  const [row] = await run<{ known: boolean }>(
    'setStatus',
    // An ended run stays as it is.
    `with changed as (
       update runs set status = $2,
         waiting_since = case when $2 like 'waiting%' then coalesce(waiting_since, now()) end, updated_at = now()
       where run_id = $1 and status <> 'ended'
     )
     select exists (select from runs where run_id = $1) as known`,
    [runId, status],
  );
  if (row?.known !== true) throw missingRun(runId);
}

export async function sandboxStarted(
  run: Statements,
  runId: string,
  at: Parameters<RunLifecycle['sandboxStarted']>[1],
): Promise<void> {
  const [row] = await run<{ known: boolean }>(
    'sandboxStarted',
    `with host as (
           insert into hosts (host_id) select $3 where exists (select from runs where run_id = $1) on conflict do nothing
         ), changed as (
           update runs set
             epoch = $2, host_id = $3,
             -- A run that once had no isolation never counts as isolated.
             isolation = case when isolation = 'none' then 'none' else $4 end,
             image_digest = $5, workspace = $6, workspace_limit = $7, unenforced_limits = $8,
             status = 'running', waiting_since = null, started_at = coalesce(started_at, now()), updated_at = now()
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
}

export async function workspaceOf(run: Statements, runId: string): Promise<string> {
  const [row] = await run<{ workspace: string | null }>('workspace', 'select workspace from runs where run_id = $1', [
    runId,
  ]);
  if (row === undefined) throw missingRun(runId);
  if (row.workspace === null) throw new Error(`run ${runId} has no workspace: its sandbox has not been started`);
  return row.workspace;
}

export async function runEnded(run: Statements, runId: string): Promise<boolean> {
  const [row] = await run<{ ended: boolean }>(
    'runEnded',
    `select status = 'ended' as ended from runs where run_id = $1`,
    [runId],
  );
  if (row === undefined) throw missingRun(runId);
  return row.ended;
}

export async function runStates(
  run: Statements,
  runIds: readonly string[],
): Promise<Map<string, { ended: boolean; epoch: number }>> {
  const rows = await run<{ runId: string; ended: boolean; epoch: number }>(
    'runStates',
    // A warm sandbox has the id of a run that is not stored yet: it is no leftover.
    `select run_id as "runId", status = 'ended' as ended, epoch from runs where run_id = any ($1)
         union all
         select w.run_id, false, 1 from warm_sandboxes w
         where w.run_id = any ($1) and not exists (select from runs r where r.run_id = w.run_id)`,
    [runIds],
  );
  return new Map(rows.map(({ runId, ended, epoch }) => [runId, { ended, epoch }]));
}
