import type { SnapshotLog, Snapshot } from '../../../domain/ports/record/snapshots.js';
import type { Statements } from '../../statements.js';
import { isFenced } from '../steps/fences.js';

export async function saveSnapshot(
  run: Statements,
  {
    runId,
    step,
    epoch,
    artifact,
    bytes,
    disk,
    diskHost,
    reason,
    archiveWanted,
    fence,
  }: Parameters<SnapshotLog['saveSnapshot']>[0],
): Promise<void> {
  await run(
    'saveSnapshot',
    `with here as (
           select run_id from runs r where run_id = $1 and epoch <= $3 and ${isFenced(10)}
         ), kept as (
           insert into artifacts (sha256, bytes, kind) select $4, $5, 'snapshot' from here where $4::text is not null
           on conflict (sha256) do nothing
         )
         insert into snapshots (run_id, step, epoch, artifact, bytes, disk, disk_host, reason, archive_requested_at)
         select run_id, $2, $3, $4, $5, $6, $7, $8, case when $9 then now() end from here
         on conflict (run_id, step, epoch) do nothing`,
    [runId, step, epoch, artifact, bytes, disk, diskHost, reason, archiveWanted, fence ?? null],
  );
}

export async function snapshotAt(run: Statements, runId: string, step: number): Promise<Snapshot | null> {
  const [row] = await run<Snapshot>(
    'snapshotAt',
    `select step, epoch, artifact, bytes::float8 as bytes, disk, disk_host as "diskHost" from snapshots
         where run_id = $1 and step <= $2 order by step desc, epoch desc limit 1`,
    [runId, step],
  );
  return row ?? null;
}

export async function forgetSnapshot(
  run: Statements,
  runId: string,
  { step, epoch }: Pick<Snapshot, 'step' | 'epoch'>,
): Promise<void> {
  await run('forgetSnapshot', 'delete from snapshots where run_id = $1 and step = $2 and epoch = $3', [
    runId,
    step,
    epoch,
  ]);
}

export async function forgetDisk(run: Statements, disk: string): Promise<void> {
  await run(
    'forgetDisk',
    'update snapshots set disk = null, disk_host = null where disk = $1 and artifact is not null',
    [disk],
  );
}
