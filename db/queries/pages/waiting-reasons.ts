import type { RunStatus } from '../../../domain/run/outcomes.js';
import type { Waiting, WaitingReason } from '../../../domain/views/run-head.js';
import type { Statements } from '../../statements.js';
import { missingRun } from '../../store/missing.js';
import { hosts } from '../operations.js';
import { providerTroubles } from '../provider-troubles.js';
import { isoTime, isoTimeOrNull } from '../summaries.js';

interface Place {
  status: RunStatus;
  batchId: string;
  backend: string;
  gpus: number;
  provider: string;
  waitingSince: Date | null;
  createdAt: Date;
  pausedAt: Date | null;
  pauseReason: string | null;
  concurrency: number;
  queuedBefore: number;
  inFlight: number;
  gpusBefore: number;
  budgetUsd: string | null;
  chargedUsd: string;
  metBudget: boolean;
  memoryMb: number | null;
}

/** Why a run does not move, from the rows alone. */
export async function waitingReasons(run: Statements, runId: string): Promise<Waiting> {
  const [place] = await run<Place>(
    'waitingReasons',
    `select r.status, r.batch_id as "batchId", r.backend, r.gpus, r.provider, r.waiting_since as "waitingSince",
       r.created_at as "createdAt", b.paused_at as "pausedAt", b.pause_reason as "pauseReason", b.concurrency,
       case when r.status = 'queued' then (select count(*) from runs o where o.batch_id = r.batch_id and o.status = 'queued' and o.ordinal < r.ordinal) else 0 end::int as "queuedBefore",
       case when r.status = 'queued' then (select count(*) from runs o where o.batch_id = r.batch_id and o.status not in ('queued', 'ended')) else 0 end::int as "inFlight",
       case when r.status = 'waiting_gpu' then (select count(*) from runs o where o.status = 'waiting_gpu'
         and (coalesce(o.waiting_since, o.updated_at), o.run_id) < (coalesce(r.waiting_since, r.updated_at), r.run_id)) else 0 end::int as "gpusBefore",
       trim_scale(b.budget_usd)::text as "budgetUsd", trim_scale(b.charged_usd)::text as "chargedUsd",
       coalesce(r.met_budget_usd >= b.budget_usd, false) as "metBudget", (v.spec #>> '{limits,memoryMb}')::float8 as "memoryMb"
     from runs r join batches b on b.batch_id = r.batch_id join task_versions v on v.content_hash = r.task_hash
     where r.run_id = $1`,
    [runId],
  );
  if (place === undefined) throw missingRun(runId);
  return { runId, status: place.status, waiting: place.status === 'ended' ? [] : await reasonsOf(run, runId, place) };
}

async function reasonsOf(run: Statements, runId: string, place: Place): Promise<WaitingReason[]> {
  const since = isoTimeOrNull(place.waitingSince);
  switch (place.status) {
    case 'queued':
      if (place.pausedAt !== null)
        return [{ kind: 'paused', since: isoTime(place.pausedAt), pauseReason: place.pauseReason }];
      return place.queuedBefore + place.inFlight === 0
        ? []
        : [
            {
              kind: 'concurrency',
              since: isoTime(place.createdAt),
              ahead: place.queuedBefore,
              concurrency: place.concurrency,
            },
          ];
    case 'waiting_gpu':
      return [{ kind: 'gpu', since, gpus: place.gpus, ahead: place.gpusBefore, ...(await gpusOf(run, place)) }];
    case 'waiting_host':
      return [{ kind: 'host', since, hosts: await hostsFor(run, place) }];
    default:
      return duringRun(run, runId, place);
  }
}

async function gpusOf(run: Statements, { backend }: Place) {
  const held = await run<{ hostId: string; device: string; runId: string; since: Date }>(
    'gpuHolders',
    `select host_id as "hostId", device, run_id as "runId", granted_at as since from leases where released_at is null order by host_id, device`,
    [],
  );
  const offering = (await hosts(run, false)).filter(({ backends }) => backends.includes(backend));
  return {
    holders: held.map((lease) => ({ ...lease, since: isoTime(lease.since) })),
    hosts: offering.map(({ hostId, gpus, busyGpus }) => {
      const taken = new Set([
        ...busyGpus,
        ...held.filter((lease) => lease.hostId === hostId).map(({ device }) => device),
      ]);
      return { hostId, gpus: gpus.length, free: gpus.filter((device) => !taken.has(device)).length };
    }),
  };
}

async function hostsFor(run: Statements, { backend, memoryMb }: Place) {
  const known = await hosts(run, false);
  return known.map(({ hostId, state, pauseReason, backends, slots, activeRuns, memoryForRunsMb }) => {
    const reason = !backends.includes(backend)
      ? `does not offer ${backend}`
      : memoryMb !== null && memoryForRunsMb !== null && memoryForRunsMb < memoryMb
        ? `has ${memoryForRunsMb} MB for runs, and it needs ${memoryMb} MB`
        : pauseReason !== null
          ? pauseReason
          : state !== 'up'
            ? state
            : slots !== null && activeRuns >= slots
              ? `all ${slots} places are taken`
              : 'has no room for its limits now';
    return { hostId, state, reason };
  });
}

/** It has its place; its call of the model may wait. */
async function duringRun(run: Statements, runId: string, place: Place): Promise<WaitingReason[]> {
  const [trouble] = await providerTroubles(run, { runId });
  const [turn] = await run<{ step: number; requestedAt: Date }>(
    'openTurn',
    `select step, created_at as "requestedAt" from turns where run_id = $1 and reply is null order by step desc, try desc limit 1`,
    [runId],
  );
  const [ticket] = await run<{ account: string; arrivedAt: Date; ahead: number; blockedUntil: number | null }>(
    'waitingTicket',
    `select t.account, t.arrived_at as "arrivedAt",
       (select count(*)::int from rate_tickets o where o.account = t.account and o.status = 'waiting' and o.arrived_at < t.arrived_at) as ahead,
       (a.state ->> 'blockedUntil')::float8 as "blockedUntil"
     from rate_tickets t join rate_accounts a on a.account = t.account
     where t.status = 'waiting' and starts_with(t.ticket, $1 || '/')
     order by t.arrived_at limit 1`,
    [runId],
  );
  return [
    ...(place.metBudget && place.budgetUsd !== null
      ? [{ kind: 'budget' as const, since: null, budgetUsd: place.budgetUsd, chargedUsd: place.chargedUsd }]
      : []),
    ...(turn === undefined
      ? []
      : [{ kind: 'player' as const, since: isoTime(turn.requestedAt), step: turn.step, provider: place.provider }]),
    ...(ticket === undefined
      ? []
      : [
          {
            kind: 'rate_limit' as const,
            since: isoTime(ticket.arrivedAt),
            account: ticket.account,
            ahead: ticket.ahead,
            blockedUntil:
              ticket.blockedUntil === null || ticket.blockedUntil <= Date.now()
                ? null
                : new Date(ticket.blockedUntil).toISOString(),
          },
        ]),
    ...(trouble === undefined ? [] : [{ kind: 'provider' as const, since: trouble.at, trouble }]),
  ];
}
