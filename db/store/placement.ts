import type pg from 'pg';
import type { Placement, Placements } from '../../domain/ports/record/placement.js';
import { storeError } from '../database-error.js';
import { inTransaction } from '../in-transaction.js';
import { isAdmitting, isAlive, isLongEnough, whyPaused } from './hosts/conditions.js';
import { missingRun } from './missing.js';

/** One decision at a time over all workers, so that each sees the previous placements. */
const PLACEMENT_LOCK = 7_210_901;

/** Statuses in which a run takes one of its host's slots. */
export const PLACED = `('starting', 'running', 'finishing')`;

/** In one transaction: lock, choose, write. */
export function placementStore(pool: pg.Pool): Pick<Placements, 'placeRun'> {
  return {
    async placeRun(args) {
      try {
        return await inTransaction(pool, (client) => place(client, args));
      } catch (error) {
        throw storeError('placeRun', error);
      }
    },
  };
}

interface RunRow {
  epoch: number;
  hostId: string | null;
  status: string;
  backend: string;
  memoryMb: number;
}

async function place(
  client: pg.PoolClient,
  { runId, epoch, hostId, seconds = null }: { runId: string; epoch: number; hostId?: string; seconds?: number | null },
): Promise<Placement> {
  await client.query('select pg_advisory_xact_lock($1)', [PLACEMENT_LOCK]);
  const { rows: found } = await client.query<RunRow>(
    `select r.epoch, r.host_id as "hostId", r.status, r.backend, (v.spec #>> '{limits,memoryMb}')::float8 as "memoryMb"
     from runs r join task_versions v on v.content_hash = r.task_hash where r.run_id = $1`,
    [runId],
  );
  const [run] = found;
  if (run === undefined) throw missingRun(runId);
  // A repeated call gets the first decision.
  if (run.epoch >= epoch && run.hostId !== null && (hostId ?? run.hostId) === run.hostId && isPlaced(run.status))
    return { kind: 'placed', hostId: run.hostId, epoch: run.epoch };
  const refusal = hostId === undefined ? null : await refusalOf(client, hostId);
  const chosen =
    hostId === undefined ? await choose(client, runId, run, seconds) : refusal === null ? hostId : undefined;
  if (chosen === undefined) {
    await client.query(
      `update runs set status = 'waiting_host', waiting_since = coalesce(waiting_since, now()), updated_at = now()
       where run_id = $1 and status <> 'ended'`,
      [runId],
    );
    return { kind: 'none', reason: refusal ?? (await whyNot(client, run, seconds)) };
  }
  // A container on another host in this epoch is obsolete.
  const moved = run.hostId !== null && run.hostId !== chosen;
  const from = Math.max(epoch, moved ? run.epoch + 1 : run.epoch);
  await client.query('insert into hosts (host_id) values ($1) on conflict do nothing', [chosen]);
  // If only the test of a submission is left, no sandbox starts.
  await client.query(
    `update runs set host_id = $2, epoch = $3, waiting_since = null, updated_at = now(),
       status = case when exists (
         select from evaluations where run_id = $1 and split = 'test' and kind in ('submit', 'forced') and status = 'pending'
           and submission_sha256 is not null
       ) then 'finishing' else 'starting' end
     where run_id = $1 and status <> 'ended'`,
    [runId, chosen, from],
  );
  return { kind: 'placed', hostId: chosen, epoch: from };
}

const isPlaced = (status: string): boolean => PLACED.includes(`'${status}'`);

/**
 * Null: the host of a run's GPUs takes runs. A silent host counts as taking them: only a run placed
 * there checks whether it is lost, and gets other GPUs; a waiting run would wait forever.
 */
async function refusalOf(client: pg.PoolClient, hostId: string): Promise<string | null> {
  const { rows } = await client.query<{ why: string }>(
    `select case when h.drained_at is not null then 'it is drained' when h.leaving_at is not null or h.leaves_at <= now() then 'it leaves'
       when h.lost_at is not null then 'what its former runs left there is not removed yet' else ${whyPaused('h')} end as why
     from hosts h where h.host_id = $1 and ${isAlive('h')} and not (${isAdmitting('h')})`,
    [hostId],
  );
  return rows[0] === undefined ? null : `${hostId}, whose GPUs it holds, takes no new runs: ${rows[0].why}`;
}

/** Prefers a warm sandbox, then free slots. Runs with GPUs use memory, but no slot. */
async function choose(
  client: pg.PoolClient,
  runId: string,
  run: RunRow,
  seconds: number | null,
): Promise<string | undefined> {
  const { rows } = await client.query<{ hostId: string }>(
    `select h.host_id as "hostId"
     from hosts h
     cross join lateral (
       select count(*) filter (where r.gpus = 0) as runs, coalesce(sum((v.spec #>> '{limits,memoryMb}')::float8), 0) as memory
       from runs r join task_versions v on v.content_hash = r.task_hash
       where r.host_id = h.host_id and r.status in ${PLACED} and r.run_id <> $1
     ) placed
     where ${isAdmitting('h')} and h.roles ? 'host' and h.backends ? $2 and ${isLongEnough('h', '$4')}
       and placed.runs < coalesce(h.slots, 1) and (h.memory_for_runs_mb is null or placed.memory + $3 <= h.memory_for_runs_mb)
     order by exists (select from warm_sandboxes w where w.run_id = $1 and w.host_id = h.host_id) desc,
       placed.runs::float8 / h.slots, h.host_id limit 1`,
    [runId, run.backend, run.memoryMb, seconds],
  );
  return rows[0]?.hostId;
}

async function whyNot(client: pg.PoolClient, run: RunRow, seconds: number | null): Promise<string> {
  const { rows } = await client.query<{ admitting: number; offering: number; lasting: number }>(
    `select count(*) filter (where ${isAdmitting('h')})::int as admitting,
       count(*) filter (where ${isAdmitting('h')} and h.backends ? $1)::int as offering,
       count(*) filter (where ${isAdmitting('h')} and h.backends ? $1 and ${isLongEnough('h', '$2')})::int as lasting
     from hosts h`,
    [run.backend, seconds],
  );
  const { admitting = 0, offering = 0, lasting = 0 } = rows[0] ?? {};
  if (admitting === 0) return 'no host takes new runs';
  if (offering === 0) return `no host that takes new runs offers the backend ${run.backend}`;
  if (lasting === 0) return `each host that takes new runs leaves within the ${seconds} s that the run may take`;
  return 'all hosts are full';
}
