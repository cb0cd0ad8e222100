import type { Statements } from '../statements.js';
import { isAlive, whyPaused } from '../store/hosts/conditions.js';
import { isoTime, isoTimeOrNull } from './summaries.js';
import type { EventFilter, EventRow } from '../../domain/views/events.js';
import type { LeaseRow, LeaseWaiter } from '../../domain/views/leases.js';
import type { UnreachableHost, HostRow } from '../../domain/views/hosts.js';

const DEFAULT_LIMIT = 1000;

/** Oldest first. */
export async function events(run: Statements, filter: EventFilter): Promise<EventRow[]> {
  const rows = await run<Omit<EventRow, 'at'> & { at: Date }>(
    'events',
    `select * from (
       select event_id::float8 as "eventId", run_id as "runId", batch_id as "batchId", kind, key, detail, at
       from events
       where ($1::text is null or run_id = $1) and ($2::text is null or batch_id = $2) and event_id > $3
         and ($5::text[] is null or kind = any($5))
       order by event_id desc limit $4
     ) newest order by "eventId"`,
    [
      filter.runId ?? null,
      filter.batchId ?? null,
      filter.afterEventId ?? 0,
      filter.limit ?? DEFAULT_LIMIT,
      filter.kinds ?? null,
    ],
  );
  return rows.map((row) => ({ ...row, at: isoTime(row.at) }));
}

/** Newest first. */
export async function leases(run: Statements, includeReleased: boolean): Promise<LeaseRow[]> {
  type Times = Record<'grantedAt' | 'revokedAt' | 'releasedAt', Date | null> & { grantedAt: Date };
  const rows = await run<Omit<LeaseRow, keyof Times> & Times>(
    'leases',
    `select host_id as "hostId", device, run_id as "runId", token::float8 as token, granted_at as "grantedAt",
       revoked_at as "revokedAt", released_at as "releasedAt"
     from leases where $1 or released_at is null
     order by granted_at desc, host_id, device limit ${DEFAULT_LIMIT}`,
    [includeReleased],
  );
  return rows.map((row) => ({
    ...row,
    grantedAt: isoTime(row.grantedAt),
    revokedAt: isoTimeOrNull(row.revokedAt),
    releasedAt: isoTimeOrNull(row.releasedAt),
  }));
}

/** Longest wait first. */
export async function leaseWaiters(run: Statements): Promise<LeaseWaiter[]> {
  const rows = await run<Omit<LeaseWaiter, 'waitingSince'> & { waitingSince: Date }>(
    'leaseWaiters',
    `select run_id as "runId", batch_id as "batchId", gpus, coalesce(waiting_since, updated_at) as "waitingSince"
     from runs where status = 'waiting_gpu' order by 4, run_id limit ${DEFAULT_LIMIT}`,
    [],
  );
  return rows.map((row) => ({ ...row, waitingSince: isoTime(row.waitingSince) }));
}

export async function hosts(run: Statements, includeRemoved: boolean): Promise<HostRow[]> {
  const rows = await run<Omit<HostRow, 'seenAt' | 'leavesAt'> & { seenAt: Date; leavesAt: Date | null }>(
    'hosts',
    `select h.host_id as "hostId", h.hostname, h.cpus, h.memory_mb as "memoryMb", h.gpus, h.busy_gpus as "busyGpus",
       h.backends, h.roles, h.version, ${whyPaused('h')} as "pauseReason", case when h.cut_off_at is not null then 'Temporal' end as "unreachableServer", h.slots, h.memory_free_mb as "memoryFreeMb",
       h.memory_for_runs_mb as "memoryForRunsMb", h.disk_total_mb::float8 as "diskTotalMb",
       h.disk_free_mb::float8 as "diskFreeMb", h.seen_at as "seenAt", h.leaves_at as "leavesAt",
       case when h.removed_at is not null then 'removed' when h.lost_at is not null then 'lost'
         when not (${isAlive('h')}) then 'silent' when h.leaving_at is not null then 'leaving'
         when h.drained_at is not null then 'drained'
         when ${whyPaused('h')} is not null then 'paused' else 'up' end as state,
       (select count(*)::int from runs r where r.host_id = h.host_id and r.status <> 'ended') as "activeRuns"
     from hosts h where $1 or h.removed_at is null order by h.host_id`,
    [includeRemoved],
  );
  return rows.map((row) => ({ ...row, seenAt: isoTime(row.seenAt), leavesAt: isoTimeOrNull(row.leavesAt) }));
}

/** Hosts that have runs of the batch and are cut off from Temporal, silent or lost. */
export async function unreachableHosts(run: Statements, batchId: string): Promise<UnreachableHost[]> {
  const rows = await run<Omit<UnreachableHost, 'seenAt'> & { seenAt: Date }>(
    'unreachableHosts',
    `select h.host_id as "hostId", count(*)::int as runs, h.seen_at as "seenAt",
       case when h.cut_off_at is not null then 'Temporal' end as "unreachableServer"
     from runs r join hosts h using (host_id)
     where r.batch_id = $1 and r.status <> 'ended' and (h.cut_off_at is not null or not (${isAlive('h')}))
     group by h.host_id order by h.host_id`,
    [batchId],
  );
  return rows.map((row) => ({ ...row, seenAt: isoTime(row.seenAt) }));
}

export async function unfinishedRuns(run: Statements): Promise<number> {
  const [row] = await run<{ n: number }>(
    'unfinishedRuns',
    `select count(*)::int as n from runs where status <> 'ended'`,
    [],
  );
  return row?.n ?? 0;
}
