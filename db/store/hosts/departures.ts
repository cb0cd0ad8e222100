import { BenchError } from '../../../domain/errors.js';
import type { Statements } from '../../statements.js';
import { isAlive } from './conditions.js';

export function drainHost(run: Statements, hostId: string, drained: boolean): Promise<void> {
  return changeHost(
    run,
    'drainHost',
    hostId,
    drained ? 'drained_at = coalesce(drained_at, now())' : 'drained_at = null',
  );
}

export async function hostLeft(run: Statements, hostId: string, detail: string): Promise<void> {
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
}

export async function removeHost(run: Statements, hostId: string): Promise<void> {
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
}

async function changeHost(run: Statements, operation: string, hostId: string, change: string): Promise<void> {
  const rows = await run(operation, `update hosts set ${change} where host_id = $1 returning host_id`, [hostId]);
  if (rows.length === 0) throw missingHost(hostId);
}

const missingHost = (hostId: string): BenchError =>
  new BenchError('not_found', `no host "${hostId}"`, {
    code: 'host.not_found',
    remedy: '`bench hosts` lists all hosts.',
  });
