import type { Snapshot, SnapshotLog } from '../../domain/ports/record/snapshots.js';
import type { Statements } from '../statements.js';
import { isFenced } from './steps.js';

/** Workspaces as they were; their bytes lie in the artifact store, or on one host as a disk. */
export function snapshotStore(run: Statements): SnapshotLog {
  return {
    async saveSnapshot({ runId, step, epoch, artifact, bytes, disk, diskHost, reason, archiveWanted, fence }) {
      await run(
        'saveSnapshot',
        `with here as (
           select run_id from runs r where run_id = $1 and epoch <= $3 and ${isFenced(10)}
         ), kept as (
           insert into artifacts (sha256, bytes, kind) select $4, $5, 'snapshot' from here where $4::text is not null
           on conflict (sha256) do nothing
         )
         insert into snapshots (run_id, step, epoch, artifact, bytes, disk, disk_host, reason, archive_wanted_at)
         select run_id, $2, $3, $4, $5, $6, $7, $8, case when $9 then now() end from here
         on conflict (run_id, step, epoch) do nothing`,
        [runId, step, epoch, artifact, bytes, disk, diskHost, reason, archiveWanted, fence ?? null],
      );
    },

    async snapshotAt(runId, step) {
      const [row] = await run<Snapshot>(
        'snapshotAt',
        `select step, epoch, artifact, bytes::float8 as bytes, disk, disk_host as "diskHost" from snapshots
         where run_id = $1 and step <= $2 order by step desc, epoch desc limit 1`,
        [runId, step],
      );
      return row ?? null;
    },

    async forgetSnapshot(runId, { step, epoch }) {
      await run('forgetSnapshot', 'delete from snapshots where run_id = $1 and step = $2 and epoch = $3', [
        runId,
        step,
        epoch,
      ]);
    },

    async forgetDisk(disk) {
      await run(
        'forgetDisk',
        'update snapshots set disk = null, disk_host = null where disk = $1 and artifact is not null',
        [disk],
      );
    },

    async wantArchive(disk) {
      await run(
        'wantArchive',
        `update snapshots set archive_wanted_at = now()
         where disk = $1 and artifact is null and archive_wanted_at is null`,
        [disk],
      );
    },

    async archivesWanted(hostId) {
      return await run<{ runId: string; step: number; disk: string; wantedMs: number }>(
        'archivesWanted',
        `select (array_agg(s.run_id order by s.epoch desc))[1] as "runId", s.step, s.disk,
           (extract(epoch from now() - min(s.archive_wanted_at)) * 1000)::float8 as "wantedMs"
         from snapshots s join runs r on r.run_id = s.run_id
         where s.disk_host = $1 and s.artifact is null and s.archive_wanted_at is not null
         group by s.step, s.disk
         order by bool_or(r.status <> 'ended') desc, s.step desc, s.disk`,
        [hostId],
      );
    },

    async saveArchive(disk, { sha256, bytes }) {
      await run(
        'saveArchive',
        `with kept as (
           insert into artifacts (sha256, bytes, kind) values ($2, $3, 'snapshot') on conflict (sha256) do nothing
         )
         update snapshots set artifact = $2, bytes = $3 where disk = $1 and artifact is null`,
        [disk, sha256, bytes],
      );
    },

    async refuseArchive(disk) {
      await run('refuseArchive', 'update snapshots set archive_wanted_at = null where disk = $1 and artifact is null', [
        disk,
      ]);
    },

    async archiveOf(disk) {
      const [row] = await run<{ found: 'made' | 'wanted' | 'refused' }>(
        'archiveOf',
        `select case when bool_or(artifact is not null) then 'made'
           when bool_or(archive_wanted_at is not null) then 'wanted' else 'refused' end as found
         from snapshots where disk = $1`,
        [disk],
      );
      return row?.found ?? 'refused';
    },
  };
}
