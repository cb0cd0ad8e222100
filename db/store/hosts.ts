import { BenchError } from '../../domain/errors.js';
import {
  LOST_AFTER_BEATS,
  SILENT_AFTER_BEATS,
  type PlacedRun,
  type HostRegistry,
} from '../../domain/ports/record/hosts.js';
import type { GpuHost, Leases } from '../../domain/ports/record/leases.js';
import type { Placements } from '../../domain/ports/record/placement.js';
import type { Statements } from '../statements.js';
import { isAbandoned } from './leases.js';

type Hosts = HostRegistry & Pick<Placements, 'judgeHost' | 'beginEpoch'> & Pick<Leases, 'gpuHosts'>;

const beats = (host: string, n: number) => `make_interval(secs => ${host}.heartbeat_seconds * ${n})`;

/** Registered recently, while it reached Temporal, too. */
export const isAlive = (host: string): string =>
  `${host}.seen_at > now() - ${beats(host, SILENT_AFTER_BEATS)} and ${host}.removed_at is null`;

/** Takes new runs. */
export const isAdmitting = (host: string): string =>
  `${isAlive(host)} and ${host}.lost_at is null and ${host}.drained_at is null and ${host}.paused is null
   and ${host}.cut_off_at is null and ${host}.leaving_at is null and coalesce(${host}.ends_at > now(), true)`;

/** Why it takes no new runs, for people; null: it does, or is drained, leaves or is lost. */
export const whyPaused = (host: string): string =>
  `case when ${host}.cut_off_at is not null then 'it does not reach Temporal' else ${host}.paused end`;

/** A run that needs so many seconds ends there; null: as long as it takes. */
export const isLongEnough = (host: string, seconds: string): string =>
  `(${seconds}::float8 is null or coalesce(${host}.ends_at >= now() + make_interval(secs => ${seconds}::float8), true))`;

/** Hosts: their registrations, and decisions about them. */
export function hostStore(run: Statements): Hosts {
  const known = async (operation: string, hostId: string, change: string): Promise<void> => {
    const rows = await run(operation, `update hosts set ${change} where host_id = $1 returning host_id`, [hostId]);
    if (rows.length === 0) throw missingHost(hostId);
  };

  return {
    async registerHost(host) {
      const [row] = await run<{
        lost: boolean;
        foreign: boolean;
        formerBackends: string[] | null;
        abandoned: number[];
        watched: string[];
      }>(
        'registerHost',
        // A gap in its registrations resets alive_since: a host that was cut off itself proves nothing about others.
        `with before as (
           select ${whyPaused('h')} as paused, backends, ${isAlive('h')} and h.home_id is not null and $15::text is not null and h.home_id <> $15 as foreign
           from hosts h where host_id = $1
         ), registered as (
           insert into hosts as h (host_id, hostname, cpus, memory_mb, gpus, backends, slots, memory_for_runs_mb, memory_free_mb,
             disk_total_mb, disk_free_mb, busy_gpus, paused, roles, home_id, version, heartbeat_seconds, namespace_id, namespace_at, database_user,
             ends_at, leaving_at, cut_off_at)
           select $1, $2, $3, $4, $5::jsonb, $6::jsonb, $7, $8, $9, $10, $11, $12::jsonb, $13, $14::jsonb, $15, $16, $17, $18, $19, session_user,
             $20, case when $21::boolean then now() end, case when $22::boolean then now() end
           where not exists (select from before where "foreign")
           on conflict (host_id) do update set
             hostname = excluded.hostname, cpus = excluded.cpus, memory_mb = excluded.memory_mb, gpus = excluded.gpus,
             backends = excluded.backends, slots = excluded.slots, memory_for_runs_mb = excluded.memory_for_runs_mb,
             memory_free_mb = excluded.memory_free_mb, disk_total_mb = excluded.disk_total_mb,
             disk_free_mb = excluded.disk_free_mb, busy_gpus = excluded.busy_gpus, paused = excluded.paused,
             roles = excluded.roles, home_id = excluded.home_id, version = excluded.version,
             heartbeat_seconds = excluded.heartbeat_seconds, namespace_id = excluded.namespace_id,
             namespace_at = excluded.namespace_at, database_user = excluded.database_user, ends_at = excluded.ends_at,
             leaving_at = case when $21::boolean then coalesce(h.leaving_at, now()) end, removed_at = null,
             cut_off_at = case when $22::boolean then coalesce(h.cut_off_at, now()) end,
             -- Alone, PostgreSQL shows no life: runs on a host that does not reach Temporal are stalled, and must move.
             seen_at = case when $22::boolean then h.seen_at else now() end,
             alive_since = case when $22::boolean or h.seen_at > now() - ${beats('h', SILENT_AFTER_BEATS)} then h.alive_since else now() end
           returning ${whyPaused('h')} as paused, h.lost_at
         ), told as (
           insert into events (kind, key, detail)
           select case when r.paused is null then 'host_resumed' else 'host_paused' end,
             'host-' || $1 || '-' || extract(epoch from clock_timestamp()),
             'host ' || $1 || coalesce(' takes no new runs: ' || r.paused, ' takes runs again')
           from registered r left join before b on true where r.paused is distinct from b.paused
             -- A fuller or emptier disk is not another reason.
             and (r.paused is null) <> (b.paused is null)
         )
         select (select lost_at is not null from registered) as lost,
           coalesce((select "foreign" from before), false) as "foreign",
           (select backends from before) as "formerBackends",
           array(select distinct l.token::float8 from leases l where l.host_id = $1 and ${isAbandoned('l')}) as abandoned,
           array(select w.run_id from watched_runs w join runs r on r.run_id = w.run_id where w.until > now() and r.host_id = $1) as watched`,
        [
          host.hostId,
          host.hostname,
          host.cpus,
          host.memoryMb,
          JSON.stringify(host.gpus),
          JSON.stringify(host.backends),
          host.slots ?? null,
          host.memoryForRunsMb ?? null,
          host.memoryFreeMb ?? null,
          host.diskTotalMb ?? null,
          host.diskFreeMb ?? null,
          JSON.stringify(host.busyGpus ?? []),
          host.paused ?? null,
          JSON.stringify(host.roles ?? ['host']),
          host.homeId ?? null,
          host.version ?? null,
          host.heartbeatSeconds ?? 10,
          host.namespace?.id ?? null,
          host.namespace?.at ?? null,
          host.endsAt ?? null,
          host.leaving ?? false,
          host.cutOff ?? false,
        ],
      );
      if (row?.foreign === true)
        throw new BenchError('usage', `another machine is the host "${host.hostId}" and alive`, {
          code: 'host.name_taken',
          remedy: 'Give this machine another name (BENCH_HOST); `bench hosts` lists those in use.',
          fields: { host: true },
        });
      return {
        ...{ lost: row?.lost ?? false, formerBackends: row?.formerBackends ?? [] },
        ...{ abandoned: row?.abandoned ?? [], watched: row?.watched ?? [] },
      };
    },

    async hostReturned(hostId, abandoned) {
      await run(
        'hostReturned',
        `with returned as (
           update hosts set lost_at = null where host_id = $1 and lost_at is not null returning host_id
         ), freed as (
           update leases set released_at = now()
           where host_id = $1 and token = any($2::bigint[]) and revoked_at is not null and released_at is null
         )
         insert into events (kind, key, detail)
         select 'host_returned', 'host-returned-' || $1 || '-' || extract(epoch from clock_timestamp()),
           'host ' || $1 || ' is back and has removed what was left of runs that moved to other hosts'
         from returned`,
        [hostId, abandoned],
      );
    },

    drainHost: (hostId, drained) =>
      known('drainHost', hostId, drained ? 'drained_at = coalesce(drained_at, now())' : 'drained_at = null'),

    async hostLeft(hostId, detail) {
      await run(
        'hostLeft',
        `with gone as (
           update hosts set removed_at = now(), lost_at = now() where host_id = $1 and leaving_at is not null returning host_id
         ), freed as (
           update leases l set revoked_at = coalesce(l.revoked_at, now()), released_at = now()
           from gone where l.host_id = gone.host_id and l.released_at is null
         )
         insert into events (kind, key, detail)
         select 'host_left', 'host-left-' || $1 || '-' || extract(epoch from clock_timestamp()), $2 from gone`,
        [hostId, detail],
      );
    },

    async placedRuns(hostId) {
      return run<PlacedRun>(
        'placedRuns',
        `select r.run_id as "runId", r.epoch, coalesce(s.step, 0) as step,
           r.status = 'running' and (s.step is null or s.action is null or s.observation is not null) as idle
         from runs r
         left join lateral (select step, action, observation from steps where run_id = r.run_id order by step desc limit 1) s on true
         where r.host_id = $1 and r.status in ('starting', 'running', 'finishing')`,
        [hostId],
      );
    },

    async removeHost(hostId) {
      const [row] = await run<{ alive: boolean }>(
        'removeHost',
        `with host as (
           select host_id, ${isAlive('h')} as alive from hosts h where host_id = $1
         ), removed as (
           update hosts set removed_at = coalesce(removed_at, now()), lost_at = coalesce(lost_at, now())
           from host where hosts.host_id = host.host_id and not host.alive returning hosts.host_id
         ), freed as (
           update leases l set revoked_at = coalesce(l.revoked_at, now()), released_at = now()
           from removed where l.host_id = removed.host_id and l.released_at is null
         )
         select alive from host`,
        [hostId],
      );
      if (row === undefined) throw missingHost(hostId);
      if (row.alive)
        throw new BenchError('usage', `host "${hostId}" is alive`, {
          code: 'host.alive',
          remedy: 'Drain it with `bench hosts drain`, stop its worker, then remove it.',
        });
    },

    async judgeHost({ runId, hostId, epoch }) {
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
         ), told as (
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
    },

    async beginEpoch(runId, epoch, hostId) {
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
    },

    async gpuHosts() {
      return run<GpuHost>(
        'gpuHosts',
        `select h.host_id as "hostId", h.backends, (extract(epoch from h.ends_at) * 1000)::float8 as "endsAt", array(
           select device from jsonb_array_elements_text(h.gpus) as device where not h.busy_gpus ? device
         ) as devices
         from hosts h where jsonb_array_length(h.gpus) > 0 and h.roles ? 'host' and ${isAdmitting('h')}
         order by h.host_id`,
        [],
      );
    },

    async hostStates() {
      const rows = await run<{ hostId: string; live: boolean; removed: boolean }>(
        'hostStates',
        `select h.host_id as "hostId", ${isAlive('h')} as live, h.removed_at is not null as removed from hosts h`,
        [],
      );
      const those = (which: 'live' | 'removed') => rows.filter((row) => row[which]).map((row) => row.hostId);
      return { live: those('live'), removed: those('removed') };
    },
  };
}

const missingHost = (hostId: string): BenchError =>
  new BenchError('not_found', `no host "${hostId}"`, {
    code: 'host.not_found',
    remedy: '`bench hosts` lists all hosts.',
  });
