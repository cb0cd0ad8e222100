import type { UnfinishedWork } from '../../domain/ports/record/unfinished-work.js';
import type { Statements } from '../statements.js';

type Work = Awaited<ReturnType<UnfinishedWork['unfinishedWork']>>;

/** Younger batches are just being started by the command that submitted them. */
const SUBMITTING = `interval '10 seconds'`;
/** A batch ends within seconds of its last run. */
const ENDING = `interval '30 seconds'`;

/** A run that continues records something, unless it waits or a command takes long. */
const QUIET = `interval '20 seconds'`;

export function unfinishedWorkStore(run: Statements): UnfinishedWork {
  return {
    async unfinishedWork() {
      const [row] = await run<Work>(
        'unfinishedWork',
        // Their server starts episodes, and their tree's workflow nodes.
        `with played as (
           select b.batch_id, b.created_at from batches b
           where b.origin = 'bench' and b.status in ('queued', 'running') and not b.training and b.parent_batch is null
             and b.created_at < now() - ${SUBMITTING}
         )
         select
           array(select p.batch_id from played p order by p.created_at) as "batchIds",
           array(
             select p.batch_id from played p
             where not exists (
               select from runs r
               where r.batch_id = p.batch_id and (r.status <> 'ended' or r.ended_at > now() - ${ENDING})
             )
             order by p.created_at
           ) as "settledIds",
           coalesce((
             select jsonb_agg(jsonb_build_object('runId', r.run_id, 'batchId', p.batch_id) order by r.run_id)
             from runs r left join played p on p.batch_id = r.batch_id
             where r.status not in ('queued', 'ended') and r.origin = 'bench'
           ), '[]') as runs,
           exists (select from hosts h where jsonb_array_length(h.gpus) > 0 and h.removed_at is null) as "gpuHosts"`,
        [],
      );
      return row ?? { batchIds: [], settledIds: [], runs: [], gpuHosts: false };
    },

    async quietRuns(most) {
      const rows = await run<{ runId: string }>(
        'quietRuns',
        `select run_id as "runId" from runs
         where status not in ('queued', 'ended') and origin = 'bench' and updated_at < now() - ${QUIET}
         order by random() limit $1`,
        [most],
      );
      return rows.map(({ runId }) => runId);
    },

    async isUnfinished(of) {
      const [row] = await run<{ unfinished: boolean }>(
        'isUnfinished',
        `select exists (select from batches where batch_id = $1 and status in ('queued', 'running'))
           or exists (select from runs where run_id = $2 and status <> 'ended') as unfinished`,
        ['batchId' in of ? of.batchId : null, 'runId' in of ? of.runId : null],
      );
      return row?.unfinished ?? false;
    },
  };
}
