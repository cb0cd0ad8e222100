import { BenchError } from '../../../domain/errors.js';
import { type HostRegistration, SILENT_AFTER_BEATS } from '../../../domain/ports/record/hosts.js';
import type { Statements } from '../../statements.js';
import { isAbandoned } from '../leases.js';
import { whyPaused, isAlive, beats } from './conditions.js';

/** A gap resets alive_since: a host that was cut off proves nothing about others. */
const REGISTER_HOST = `with before as (
           select ${whyPaused('h')} as paused, backends, ${isAlive('h')} and h.home_id is not null and $15::text is not null and h.home_id <> $15 as foreign
           from hosts h where host_id = $1
         ), registered as (
           insert into hosts as h (host_id, hostname, cpus, memory_mb, gpus, backends, slots, memory_for_runs_mb, memory_free_mb,
             disk_total_mb, disk_free_mb, busy_gpus, pause_reason, roles, home_id, version, heartbeat_seconds, namespace_id, namespace_at, database_user,
             leaves_at, leaving_at, cut_off_at)
           select $1, $2, $3, $4, $5::jsonb, $6::jsonb, $7, $8, $9, $10, $11, $12::jsonb, $13, $14::jsonb, $15, $16, $17, $18, $19, session_user,
             $20, case when $21::boolean then now() end, case when $22::boolean then now() end
           where not exists (select from before where "foreign")
           on conflict (host_id) do update set
             hostname = excluded.hostname, cpus = excluded.cpus, memory_mb = excluded.memory_mb, gpus = excluded.gpus,
             backends = excluded.backends, slots = excluded.slots, memory_for_runs_mb = excluded.memory_for_runs_mb,
             memory_free_mb = excluded.memory_free_mb, disk_total_mb = excluded.disk_total_mb,
             disk_free_mb = excluded.disk_free_mb, busy_gpus = excluded.busy_gpus, pause_reason = excluded.pause_reason,
             roles = excluded.roles, home_id = excluded.home_id, version = excluded.version,
             heartbeat_seconds = excluded.heartbeat_seconds, namespace_id = excluded.namespace_id,
             namespace_at = excluded.namespace_at, database_user = excluded.database_user, leaves_at = excluded.leaves_at,
             leaving_at = case when $21::boolean then coalesce(h.leaving_at, now()) end, removed_at = null,
             cut_off_at = case when $22::boolean then coalesce(h.cut_off_at, now()) end,
             -- Alone, PostgreSQL shows no life: runs on a host that does not reach Temporal are stalled, and must move.
             seen_at = case when $22::boolean then h.seen_at else now() end,
             alive_since = case when $22::boolean or h.seen_at > now() - ${beats('h', SILENT_AFTER_BEATS)} then h.alive_since else now() end
           returning ${whyPaused('h')} as paused, h.lost_at
         ), recorded as (
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
           array(select w.run_id from watched_runs w join runs r on r.run_id = w.run_id where w.until > now() and r.host_id = $1) as watched`;

const registrationColumns = (host: HostRegistration): unknown[] => [
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
  host.pauseReason ?? null,
  JSON.stringify(host.roles ?? ['host']),
  host.homeId ?? null,
  host.version ?? null,
  host.heartbeatSeconds ?? 10,
  host.namespace?.id ?? null,
  host.namespace?.at ?? null,
  host.leavesAt ?? null,
  host.leaving ?? false,
  host.cutOff ?? false,
];

export async function registerHost(
  run: Statements,
  host: HostRegistration,
): Promise<{ lost: boolean; formerBackends: string[]; abandoned: number[]; watched: string[] }> {
  const [row] = await run<{
    /** Null: foreign. */
    lost: boolean | null;
    foreign: boolean;
    formerBackends: string[] | null;
    abandoned: number[];
    watched: string[];
  }>('registerHost', REGISTER_HOST, registrationColumns(host));
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
}

export async function hostReturned(run: Statements, hostId: string, abandoned: number[]): Promise<void> {
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
}

export async function hostStates(run: Statements): Promise<{ live: string[]; removed: string[] }> {
  const rows = await run<{ hostId: string; live: boolean; removed: boolean }>(
    'hostStates',
    `select h.host_id as "hostId", ${isAlive('h')} as live, h.removed_at is not null as removed from hosts h`,
    [],
  );
  const those = (which: 'live' | 'removed') => rows.filter((row) => row[which]).map((row) => row.hostId);
  return { live: those('live'), removed: those('removed') };
}
