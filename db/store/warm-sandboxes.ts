import type { WarmSandboxes } from '../../domain/ports/record/warm-sandboxes.js';
import type { Backend } from '../../domain/run/run.js';
import type { Statements } from '../statements.js';
import { isAdmitting } from './hosts/conditions.js';
import { PLACED } from './placement.js';

export function warmSandboxStore(run: Statements): WarmSandboxes {
  return {
    async requestWarm(key, runId) {
      await run(
        'requestWarm',
        `insert into warm_requests (key, run_id) values ($1, $2)
         on conflict (key) do update set run_id = excluded.run_id, requested_at = now()`,
        [key, runId],
      );
    },

    warmDemand: (hostId, seconds) => demand(run, hostId, seconds),

    async beginWarm({ runId, hostId, key, most }) {
      const rows = await run(
        'beginWarm',
        `insert into warm_sandboxes (run_id, host_id, key)
         select $1, h.host_id, $3 from hosts h
         cross join lateral (
           select count(*) filter (where w.key = $3) as alike, count(*) as warm
           from warm_sandboxes w where w.host_id = h.host_id and w.claimed_at is null
         ) ahead
         cross join lateral (
           select count(*) as runs from runs r where r.host_id = h.host_id and r.gpus = 0 and r.status in ${PLACED}
         ) placed
         where h.host_id = $2 and ${isAdmitting('h')} and ahead.alike < $4 and placed.runs + ahead.warm < coalesce(h.slots, 1)
         returning run_id`,
        [runId, hostId, key, most],
      );
      return rows.length > 0;
    },

    async warmIsReady(runId) {
      await run('warmIsReady', 'update warm_sandboxes set ready_at = now() where run_id = $1', [runId]);
    },

    async dropWarm(runId) {
      await run('dropWarm', 'delete from warm_sandboxes where run_id = $1 and claimed_at is null', [runId]);
    },

    async claimWarm(key) {
      const [row] = await run<{ runId: string }>(
        'claimWarm',
        `update warm_sandboxes set claimed_at = now() where run_id = (
           select w.run_id from warm_sandboxes w join hosts h using (host_id)
           where w.key = $1 and w.ready_at is not null and w.claimed_at is null and ${isAdmitting('h')}
           order by w.ready_at for update of w skip locked limit 1
         ) returning run_id as "runId"`,
        [key],
      );
      return row?.runId ?? null;
    },

    async forgetWarm(hostId, exceptKeys) {
      const rows = await run<{ runId: string; unclaimed: boolean }>(
        'forgetWarm',
        // A claimed one is its run's by now, or was never used.
        `delete from warm_sandboxes
         where host_id = $1
           and case when claimed_at is null then key <> all ($2) else claimed_at < now() - interval '5 minutes' end
         returning run_id as "runId", claimed_at is null as unclaimed`,
        [hostId, exceptKeys],
      );
      return rows.filter(({ unclaimed }) => unclaimed).map(({ runId }) => runId);
    },

    async takeUnbegunWarm(hostId, most) {
      return run<{ runId: string; backend: Backend }>(
        'takeUnbegunWarm',
        `delete from warm_sandboxes w using runs r
         where r.run_id = w.run_id and w.run_id in (
           select c.run_id from warm_sandboxes c join runs e using (run_id)
           where c.host_id = $1 and c.claimed_at is not null and e.ended_at is not null and e.started_at is null
           order by c.claimed_at limit $2 for update of c skip locked
         )
         returning w.run_id as "runId", r.backend`,
        [hostId, most],
      );
    },
  };
}

async function demand(run: Statements, hostId: string, seconds: number): ReturnType<WarmSandboxes['warmDemand']> {
  const [row] = await run<{ requests: { key: string; runId: string }[]; registered: boolean }>(
    'warmDemand',
    `select exists (select from warm_sandboxes where host_id = $1) as registered,
       (select coalesce(jsonb_agg(jsonb_build_object('key', key, 'runId', run_id)), '[]') from warm_requests
        where requested_at > now() - make_interval(secs => $2)) as requests`,
    [hostId, seconds],
  );
  return row ?? { requests: [], registered: false };
}
