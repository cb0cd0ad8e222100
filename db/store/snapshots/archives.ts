import type { Statements } from '../../statements.js';

export async function wantArchive(run: Statements, disk: string): Promise<void> {
  await run(
    'wantArchive',
    `update snapshots set archive_requested_at = now()
         where disk = $1 and artifact is null and archive_requested_at is null`,
    [disk],
  );
}

export async function archivesWanted(
  run: Statements,
  hostId: string,
): Promise<{ runId: string; step: number; disk: string; wantedMs: number }[]> {
  return await run<{ runId: string; step: number; disk: string; wantedMs: number }>(
    'archivesWanted',
    `select (array_agg(s.run_id order by s.epoch desc))[1] as "runId", s.step, s.disk,
           (extract(epoch from now() - min(s.archive_requested_at)) * 1000)::float8 as "wantedMs"
         from snapshots s join runs r on r.run_id = s.run_id
         where s.disk_host = $1 and s.artifact is null and s.archive_requested_at is not null
         group by s.step, s.disk
         order by bool_or(r.status <> 'ended') desc, s.step desc, s.disk`,
    [hostId],
  );
}

export async function saveArchive(
  run: Statements,
  disk: string,
  { sha256, bytes }: { sha256: string; bytes: number },
): Promise<void> {
  await run(
    'saveArchive',
    `with kept as (
           insert into artifacts (sha256, bytes, kind) values ($2, $3, 'snapshot') on conflict (sha256) do nothing
         )
         update snapshots set artifact = $2, bytes = $3 where disk = $1 and artifact is null`,
    [disk, sha256, bytes],
  );
}

export async function refuseArchive(run: Statements, disk: string): Promise<void> {
  await run('refuseArchive', 'update snapshots set archive_requested_at = null where disk = $1 and artifact is null', [
    disk,
  ]);
}

export async function archiveOf(run: Statements, disk: string): Promise<'made' | 'wanted' | 'refused'> {
  const [row] = await run<{ found: 'made' | 'wanted' | 'refused' }>(
    'archiveOf',
    `select case when bool_or(artifact is not null) then 'made'
           when bool_or(archive_requested_at is not null) then 'wanted' else 'refused' end as found
         from snapshots where disk = $1`,
    [disk],
  );
  return row?.found ?? 'refused';
}
