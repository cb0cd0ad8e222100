import type { Leases, OpenLease, LeaseRecord } from '../../domain/ports/record/leases.js';
import type { Statements } from '../statements.js';

/** A revoked lease whose run has ended or moved. */
export const isAbandoned = (lease: string): string =>
  `${lease}.revoked_at is not null and ${lease}.released_at is null and exists (
     select from runs r where r.run_id = ${lease}.run_id and (r.host_id is distinct from ${lease}.host_id
       or r.status in ('waiting_gpu', 'ended')
       or exists (select from leases newer where newer.run_id = r.run_id and newer.token > ${lease}.token))
   )`;

/** The pool decides within these constraints. */
export const leaseStore = (run: Statements): Omit<Leases, 'gpuHosts'> => ({
  openLeases: () => openLeases(run),
  heldDevices: (hostId) => heldDevices(run, hostId),
  devicesOf: (runId) => devicesOf(run, runId),
  recordLease: (lease) => recordLease(run, lease),
  leaseValid: (runId, token) => leaseValid(run, runId, token),
  revokeLease: (lease) => revokeLease(run, lease),
  abandonLease: (lease) => abandonLease(run, lease),
  releaseLease: (runId, token) => releaseLease(run, runId, token),
  unreleased: (tokens) => unreleased(run, tokens),
});

async function openLeases(run: Statements): Promise<{ leases: OpenLease[]; nextToken: number }> {
  const leases = await run<OpenLease>(
    'openLeases',
    `select l.run_id as "runId", l.token::float8 as token, l.host_id as "hostId",
           array_agg(l.device order by l.device) as devices, bool_or(l.revoked_at is not null) as revoked,
           bool_or(${isAbandoned('l')}) as abandoned
         from leases l where l.released_at is null group by 1, 2, 3 order by 2`,
    [],
  );
  const [row] = await run<{ next: number }>(
    'openLeases',
    'select (coalesce(max(token), 0) + 1)::float8 as next from leases',
    [],
  );
  return { leases, nextToken: row?.next ?? 1 };
}

async function heldDevices(run: Statements, hostId: string): Promise<string[]> {
  const rows = await run<{ device: string }>(
    'heldDevices',
    'select device from leases where host_id = $1 and released_at is null',
    [hostId],
  );
  return rows.map((row) => row.device);
}

async function devicesOf(run: Statements, runId: string): Promise<string[]> {
  const rows = await run<{ device: string }>(
    'devicesOf',
    'select device from leases where run_id = $1 and revoked_at is null and released_at is null order by device',
    [runId],
  );
  return rows.map((row) => row.device);
}

async function recordLease(run: Statements, { runId, token, hostId, devices }: LeaseRecord): Promise<boolean> {
  await run(
    'recordLease',
    `with host as (
           insert into hosts (host_id) values ($3) on conflict do nothing
         )
         insert into leases (run_id, token, host_id, device)
         select $1, $2, $3, device from unnest($4::text[]) as device
         on conflict (run_id, token, device) do nothing`,
    [runId, token, hostId, devices],
  );
  return leaseValid(run, runId, token);
}

async function leaseValid(run: Statements, runId: string, token: number): Promise<boolean> {
  const [row] = await run<{ valid: boolean }>(
    'leaseValid',
    `select coalesce(bool_and(revoked_at is null and released_at is null), false) as valid
         from leases where run_id = $1 and token = $2`,
    [runId, token],
  );
  return row?.valid ?? false;
}

async function revokeLease(run: Statements, { runId, token, hostId, devices }: LeaseRecord): Promise<void> {
  // A lease that was never recorded is void and keeps nothing.
  await run(
    'revokeLease',
    `with host as (
           insert into hosts (host_id) values ($3) on conflict do nothing
         )
         insert into leases as l (run_id, token, host_id, device, revoked_at, released_at)
         select $1, $2, $3, device, now(), now() from unnest($4::text[]) as device
         on conflict (run_id, token, device) do update set revoked_at = coalesce(l.revoked_at, now())`,
    [runId, token, hostId, devices],
  );
}

async function abandonLease(run: Statements, { runId, token, hostId, devices }: LeaseRecord): Promise<void> {
  // A repetition finds the run without a host, or with a newer lease, perhaps on the same host.
  await run(
    'abandonLease',
    `with host as (
           insert into hosts (host_id) values ($3) on conflict do nothing
         ), left_there as (
           update runs set epoch = epoch + 1, host_id = null, updated_at = now()
           where run_id = $1 and host_id = $3 and status <> 'ended'
             and not exists (select from leases newer where newer.run_id = $1 and newer.token > $2)
         )
         insert into leases as l (run_id, token, host_id, device, revoked_at, released_at)
         select $1, $2, $3, device, now(), now() from unnest($4::text[]) as device
         on conflict (run_id, token, device) do update set revoked_at = coalesce(l.revoked_at, now())`,
    [runId, token, hostId, devices],
  );
}

async function releaseLease(run: Statements, runId: string, token: number): Promise<void> {
  await run(
    'releaseLease',
    'update leases set released_at = now() where run_id = $1 and token = $2 and released_at is null',
    [runId, token],
  );
}

async function unreleased(run: Statements, tokens: number[]): Promise<number[]> {
  const rows = await run<{ token: number }>(
    'unreleased',
    `select distinct token::float8 as token from leases where token = any($1::bigint[]) and released_at is null`,
    [tokens],
  );
  return rows.map((row) => row.token);
}
