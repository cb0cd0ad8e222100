import type { Statements } from '../statements.js';
import { isoTime, isoTimeOrNull } from './summaries.js';

export interface EventRow {
  /** Grows with every event: a follower asks for those after the last that it saw. */
  eventId: number;
  runId: string | null;
  batchId: string | null;
  kind: string;
  key: string;
  detail: string;
  at: string;
}
export interface EventFilter {
  runId?: string | undefined;
  batchId?: string | undefined;
  afterEventId?: number | undefined;
  /** The newest so many; default 1000. */
  limit?: number | undefined;
}
export interface LeaseRow {
  hostId: string;
  device: string;
  runId: string;
  token: number;
  grantedAt: string;
  releasedAt: string | null;
}
export interface HostRow {
  hostId: string;
  hostname: string | null;
  cpus: number | null;
  memoryMb: number | null;
  gpus: string[];
  backends: string[];
  seenAt: string;
  /** Runs of this host that have not ended. */
  activeRuns: number;
}

const DEFAULT_LIMIT = 1000;

/** Oldest first. */
export async function events(run: Statements, filter: EventFilter): Promise<EventRow[]> {
  const rows = await run<Omit<EventRow, 'at'> & { at: Date }>(
    'events',
    `select * from (
       select event_id::float8 as "eventId", run_id as "runId", batch_id as "batchId", kind, key, detail, at
       from events
       where ($1::text is null or run_id = $1) and ($2::text is null or batch_id = $2) and event_id > $3
       order by event_id desc limit $4
     ) newest order by "eventId"`,
    [filter.runId ?? null, filter.batchId ?? null, filter.afterEventId ?? 0, filter.limit ?? DEFAULT_LIMIT],
  );
  return rows.map((row) => ({ ...row, at: isoTime(row.at) }));
}

/** Newest first. */
export async function leases(run: Statements, includeReleased: boolean): Promise<LeaseRow[]> {
  const rows = await run<Omit<LeaseRow, 'grantedAt' | 'releasedAt'> & { grantedAt: Date; releasedAt: Date | null }>(
    'leases',
    `select host_id as "hostId", device, run_id as "runId", token::float8 as token, granted_at as "grantedAt",
       released_at as "releasedAt"
     from leases where $1 or released_at is null
     order by granted_at desc, host_id, device limit ${DEFAULT_LIMIT}`,
    [includeReleased],
  );
  return rows.map((row) => ({ ...row, grantedAt: isoTime(row.grantedAt), releasedAt: isoTimeOrNull(row.releasedAt) }));
}

export async function hosts(run: Statements): Promise<HostRow[]> {
  const rows = await run<Omit<HostRow, 'seenAt'> & { seenAt: Date }>(
    'hosts',
    `select h.host_id as "hostId", h.hostname, h.cpus, h.memory_mb as "memoryMb", h.gpus, h.backends,
       h.seen_at as "seenAt",
       (select count(*)::int from runs r where r.host_id = h.host_id and r.status <> 'ended') as "activeRuns"
     from hosts h order by h.host_id`,
    [],
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
