import type { TaskArchives } from '../../domain/ports/record/task-archives.js';
import type { Statements } from '../statements.js';

export function taskArchiveStore(run: Statements): TaskArchives {
  return {
    async taskArchive(taskHash) {
      const [row] = await run<{ artifact: string }>(
        'taskArchive',
        'select artifact from task_archives where content_hash = $1',
        [taskHash],
      );
      return row?.artifact ?? null;
    },

    async saveTaskArchive(taskHash, archive, data) {
      await run(
        'saveTaskArchive',
        `with kept as (
           insert into artifacts (sha256, bytes, kind)
           select $2, $3::bigint, 'task'
           union all
           select distinct on (d.sha256) d.sha256, d.bytes, 'task_data'
           from unnest($4::text[], $5::bigint[]) as d(sha256, bytes) where d.sha256 <> $2
           on conflict (sha256) do update set kind = excluded.kind
         )
         insert into task_archives (content_hash, artifact) values ($1, $2)
         on conflict (content_hash) do update set artifact = excluded.artifact`,
        [taskHash, archive.sha256, archive.bytes, data.map(({ sha256 }) => sha256), data.map(({ bytes }) => bytes)],
      );
    },
  };
}
