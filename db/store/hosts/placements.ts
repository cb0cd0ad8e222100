import { type PlacedRun, LOST_AFTER_BEATS } from '../../../domain/ports/record/hosts.js';
import type { GpuHost } from '../../../domain/ports/record/leases.js';
import type { Statements } from '../../statements.js';
import { beats, isAdmitting } from './conditions.js';

export async function placedRuns(run: Statements, hostId: string): Promise<PlacedRun[]> {
  return run<PlacedRun>(
    'placedRuns',
    `select r.run_id as "runId", r.epoch, coalesce(s.step, 0) as step,
           r.status = 'running' and (s.step is null or s.action is null or s.observation is not null) as idle
         from runs r
         left join lateral (select step, action, observation from steps where run_id = r.run_id order by step desc limit 1) s on true
         where r.host_id = $1 and r.status in ('starting', 'running', 'finishing')`,
    [hostId],
  );
}

export async function judgeHost(
  run: Statements,
  { runId, hostId, epoch }: { runId: string; hostId: string; epoch: number },
): Promise<'keep' | 'lost' | 'left'> {
  const [row] = await run<{ lost: boolean; gone: boolean }>(
    'judgeHost',
    `with host as (
           select h.host_id, h.cut_off_at, h.leaving_at is not null and h.removed_at is not null as gone,
             h.removed_at is not null or h.lost_at is not null or (
               h.seen_at < now() - ${beats('h', LOST_AFTER_BEATS)}
               -- Heard all the while, in which this one was not: neither Postgres nor everybody was away.
               and exists (
                 select from hosts o join runs r on r.run_id = $1
                 where o.host_id <> h.host_id and o.backends ? r.backend and o.roles ? 'host'
                   and jsonb_array_length(o.gpus) >= r.gpus and ${isAdmitting('o')}
                   and o.alive_since < now() - ${beats('h', LOST_AFTER_BEATS)}
               )
             ) as lost
           from hosts h where h.host_id = $2
         ), marked as (
           update hosts set lost_at = coalesce(lost_at, now()) from host where hosts.host_id = host.host_id and host.lost
         ), recorded as (
           insert into events (run_id, batch_id, kind, key, detail)
           select r.run_id, r.batch_id, 'host_lost', 'host-lost-' || $3::int,
             'host ' || $2 || case when host.cut_off_at is null then ' stopped registering' else ' does not reach Temporal' end
               || '; the run continues on another host'
           from host join runs r on r.run_id = $1 where host.lost and not host.gone
           on conflict do nothing
         )
         select lost, gone from host`,
    [runId, hostId, epoch],
  );
  if (row?.lost !== true) return 'keep';
  return row.gone ? 'left' : 'lost';
}

export async function beginEpoch(run: Statements, runId: string, epoch: number, hostId: string): Promise<boolean> {
  const rows = await run(
    'beginEpoch',
    `with host as (
           insert into hosts (host_id) select $3 where exists (select from runs where run_id = $1) on conflict do nothing
         )
         update runs set epoch = $2, host_id = $3, updated_at = now()
         where run_id = $1 and status <> 'ended' and (epoch < $2 or epoch = $2 and coalesce(host_id, $3) = $3)
         returning run_id`,
    [runId, epoch, hostId],
  );
  return rows.length > 0;
}

export async function gpuHosts(run: Statements): Promise<GpuHost[]> {
  return run<GpuHost>(
    'gpuHosts',
    `select h.host_id as "hostId", h.backends, (extract(epoch from h.leaves_at) * 1000)::float8 as "endsAt", array(
           select device from jsonb_array_elements_text(h.gpus) as device where not h.busy_gpus ? device
         ) as devices
         from hosts h where jsonb_array_length(h.gpus) > 0 and h.roles ? 'host' and ${isAdmitting('h')}
         order by h.host_id`,
    [],
  );
}
