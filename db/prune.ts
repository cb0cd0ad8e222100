import type { Pruning } from '../domain/ports/pruning.js';
import type pg from 'pg';
import { queryError } from './database-error.js';
import { statements } from './statements.js';

const OLD = `exists (
  select from runs r
  where r.run_id = s.run_id and r.status = 'ended' and r.ended_at <= now() - make_interval(days => $1)
)`;

export function createPruning(pool: pg.Pool): Pruning {
  const run = statements(pool, queryError);
  return {
    async countOldSnapshots(keepDays) {
      const [row] = await run<{ n: number }>(
        'countOldSnapshots',
        `select count(*)::int as n from snapshots s where ${OLD}`,
        [keepDays],
      );
      return row?.n ?? 0;
    },
    async removeOldSnapshots(keepDays) {
      const rows = await run('removeOldSnapshots', `delete from snapshots s where ${OLD} returning s.step`, [keepDays]);
      return rows.length;
    },
    async neededArtifacts({ withoutOlderThanDays }) {
      const archives = await run<{ sha256: string }>(
        'neededArtifacts',
        `select distinct s.artifact as sha256 from snapshots s where s.artifact is not null and ($1::int is null or not ${OLD})`,
        [withoutOlderThanDays],
      );
      const disks = await run<{ disk: string }>(
        'neededArtifacts',
        `select distinct s.disk from snapshots s where s.disk is not null and ($1::int is null or not ${OLD})`,
        [withoutOlderThanDays],
      );
      const manifests = await run<{ sha256: string }>(
        'neededArtifacts',
        `select submission_sha256 as sha256 from evaluations where submission_sha256 is not null
         union select sha256 from submissions where sha256 is not null`,
        [],
      );
      const tasks = await run<{ sha256: string }>(
        'neededArtifacts',
        `select sha256 from artifacts where kind in ('task', 'task_data')`,
        [],
      );
      return {
        archives: [...archives, ...tasks].map(({ sha256 }) => sha256),
        disks: disks.map(({ disk }) => disk),
        manifests: manifests.map(({ sha256 }) => sha256),
      };
    },
    async forgetArtifacts() {
      await run(
        'forgetArtifacts',
        `delete from artifacts a
         where a.kind = 'snapshot' and a.created_at < now() - interval '1 hour'
           and not exists (select from snapshots s where s.artifact = a.sha256)`,
        [],
      );
    },
    async neededImages() {
      const rows = await run<{ digest: string }>(
        'neededImages',
        `select distinct d.digest from runs r, unnest(array[r.image_digest, r.evaluator_image_digest]) as d(digest)
         where r.status <> 'ended' and d.digest is not null`,
        [],
      );
      return rows.map(({ digest }) => digest);
    },
  };
}
