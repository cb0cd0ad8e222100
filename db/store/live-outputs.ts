import type { LiveOutputs } from '../../domain/ports/record/live-outputs.js';
import { storable, type Statements } from '../statements.js';

export function liveOutputStore(run: Statements): LiveOutputs {
  return {
    async watchRun(runId, seconds) {
      await run(
        'watchRun',
        `insert into watched_runs (run_id, until) select run_id, now() + make_interval(secs => $2) from runs where run_id = $1 and status <> 'ended'
         on conflict (run_id) do update set until = greatest(watched_runs.until, excluded.until)`,
        [runId, seconds],
      );
    },
    async saveLiveOutput({ runId, step, tail, worker }) {
      const rows = await run(
        'saveLiveOutput',
        `insert into live_outputs as l (run_id, step, tail, worker)
         select w.run_id, $2, $3, $4 from watched_runs w where w.run_id = $1 and w.until > now()
         on conflict (run_id) do update set step = excluded.step, tail = excluded.tail, worker = excluded.worker, at = now(),
           workers = case when l.step <> excluded.step then 1 when l.worker <> excluded.worker then l.workers + 1 else l.workers end
         returning run_id`,
        [runId, step, storable(tail), worker],
      );
      return rows.length > 0;
    },
    async dropLiveOutput(runId) {
      await run('dropLiveOutput', 'delete from live_outputs where run_id = $1', [runId]);
    },
  };
}
