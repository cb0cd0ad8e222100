import type { Snapshot } from '../../domain/ports/record/snapshots.js';
import type { SnapshotLog } from '../../domain/ports/record/snapshots.js';
import type { Statements } from '../statements.js';

/** Workspaces as they were; their bytes lie in the artifact store. */
export function snapshotStore(run: Statements): SnapshotLog {
  return {
    async saveSnapshot({ runId, step, epoch, artifact, bytes, reason }) {
      await run(
        'saveSnapshot',
        `with kept as (
           insert into artifacts (sha256, bytes, kind) values ($4, $5, 'snapshot') on conflict (sha256) do nothing
         )
         insert into snapshots (run_id, step, epoch, artifact, bytes, reason) values ($1, $2, $3, $4, $5, $6)
         on conflict (run_id, step, epoch) do nothing`,
        [runId, step, epoch, artifact, bytes, reason],
      );
    },

    async snapshotAt(runId, step) {
      const [row] = await run<Snapshot>(
        'snapshotAt',
        `select step, epoch, artifact, bytes::float8 as bytes from snapshots
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
  };
}
