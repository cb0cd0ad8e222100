import type { Lease, LeaseRequest } from '../domain/model/messages.js';
import type { GpuHost, OpenLease } from '../domain/ports/record/leases.js';
import { usableFor } from '../domain/run/mig.js';

/** `overtaken`: later requests served while it was the first of its batch. */
interface Waiting extends LeaseRequest {
  overtaken: number;
  keptHost?: string;
}

interface Held {
  runId: string;
  lease: Lease;
  /** Milliseconds since 1970; null: no limit. */
  expiresAt: number | null;
  /** Being revoked: the run has lost it, and no other has it yet. */
  revoking?: true;
}

/** The GPU semaphore as pure state, in plain JSON, to survive continue-as-new. */
export interface GpuPoolState {
  /** Hosts that lease GPUs now. Leases on other hosts stay. */
  hosts: GpuHost[];
  /** One queue per batch, each in order of arrival. The batch served longest ago comes first. */
  lines: { batchId: string; requests: Waiting[] }[];
  held: Held[];
  /** Leases on lost hosts: their GPUs are not leased until the hosts are back. */
  lost: Held[];
  /** Runs that asked again for a lease they hold: repeat the grant. */
  repeats: string[];
  /** Fencing tokens only increase. */
  nextToken: number;
  /** When hosts and holders were last checked, milliseconds since 1970. */
  lookedAt?: number;
  /** Only tests set it. */
  continueAfterEvents?: number;
}

export interface Grant {
  runId: string;
  lease: Lease;
}

/** After this many overtakings, a host is kept free for a first request. */
export const MAX_OVERTAKEN = 16;
/** A round this many times later than due means that the services were down. */
const ROUNDS_MISSED = 6;

export const emptyPool = (): GpuPoolState => ({ hosts: [], lines: [], held: [], lost: [], repeats: [], nextToken: 1 });

/** A new pool's state: leases that PostgreSQL knows are held. */
export function poolOf({ leases, nextToken }: { leases: OpenLease[]; nextToken: number }): GpuPoolState {
  const state = { ...emptyPool(), nextToken };
  for (const { runId, revoked, abandoned, ...lease } of leases) {
    const holder: Held = { runId, lease, expiresAt: null };
    if (abandoned) state.lost.push(holder);
    else state.held.push(revoked ? { ...holder, revoking: true } : holder);
  }
  return state;
}

export function setHosts(state: GpuPoolState, hosts: GpuHost[]): void {
  state.hosts = [...hosts].sort((a, b) => (a.hostId < b.hostId ? -1 : 1));
}

export const waitingCount = (state: GpuPoolState): number =>
  state.lines.reduce((sum, line) => sum + line.requests.length, 0);

/** Only a request can change an idle pool. */
export const isIdle = (state: GpuPoolState): boolean =>
  state.held.length === 0 && state.lost.length === 0 && state.lines.length === 0;

/** The runs whose end would change something: holders and the first of each queue. */
export const watchedRuns = (state: GpuPoolState): string[] => [
  ...state.held.map((holder) => holder.runId),
  ...state.lines.flatMap((line) => (line.requests[0] === undefined ? [] : [line.requests[0].runId])),
];

/** Queues a run's request once. A run that holds its lease gets the grant again. */
export function request(state: GpuPoolState, wanted: LeaseRequest): void {
  if (state.lines.some((line) => line.requests.some((one) => one.runId === wanted.runId))) return;
  if (state.held.some((holder) => holder.runId === wanted.runId && holder.revoking !== true)) {
    if (!state.repeats.includes(wanted.runId)) state.repeats.push(wanted.runId);
    return;
  }
  const { batchId } = wanted;
  const line = state.lines.find((one) => one.batchId === batchId);
  const entry: Waiting = { ...wanted, overtaken: 0 };
  if (line === undefined) state.lines.push({ batchId, requests: [entry] });
  else line.requests.push(entry);
}

export function withdraw(state: GpuPoolState, runId: string): void {
  for (const line of state.lines) line.requests = line.requests.filter((one) => one.runId !== runId);
  state.lines = state.lines.filter((line) => line.requests.length > 0);
}

/** Without a token: returns the run's lease and its request. Another's token changes nothing. */
export function release(state: GpuPoolState, runId: string, token: number | null): void {
  if (token === null) withdraw(state, runId);
  state.held = state.held.filter(
    (holder) => holder.runId !== runId || (token === null ? holder.revoking === true : holder.lease.token !== token),
  );
}

/** Its GPUs are free when it is released. */
export function revoke(state: GpuPoolState, token: number): void {
  for (const holder of state.held) if (holder.lease.token === token) holder.revoking = true;
}

/** The run may request another lease; the lost host's GPUs are not leased. */
export function abandon(state: GpuPoolState, runId: string, token: number): void {
  const gone = state.held.filter((holder) => holder.runId === runId && holder.lease.token === token);
  state.held = state.held.filter((holder) => !gone.includes(holder));
  state.lost.push(...gone);
}

export function keepLost(state: GpuPoolState, tokens: number[]): void {
  state.lost = state.lost.filter((holder) => tokens.includes(holder.lease.token));
}

/** Extends all leases if everything was down since the last check, and those on silent hosts. */
export function lookedAfter(
  state: GpuPoolState,
  { now, roundMs, liveHosts }: { now: number; roundMs: number; liveHosts: readonly string[] },
): void {
  const passed = now - (state.lookedAt ?? now);
  state.lookedAt = now;
  const allAway = passed > ROUNDS_MISSED * roundMs;
  for (const holder of state.held)
    if (holder.expiresAt !== null && (allAway || !liveHosts.includes(holder.lease.hostId))) holder.expiresAt += passed;
}

export const expired = (state: GpuPoolState, now: number): Held[] =>
  state.held.filter((holder) => holder.expiresAt !== null && holder.expiresAt <= now);

/**
 * Grants all GPUs of a request at once, on one host. By priority (1 before 5); then batches take
 * turns, each first come, first served. Requests that do not fit may be overtaken (backfill) a
 * limited number of times; then a host is kept free for them, so that large requests cannot starve.
 */
export function grant(state: GpuPoolState, now = 0): Grant[] {
  const repeated = state.held.filter((holder) => state.repeats.includes(holder.runId) && holder.revoking !== true);
  state.repeats = [];
  const granted: Grant[] = repeated.map(({ runId, lease }) => ({ runId, lease }));
  for (let one = grantOne(state, now); one !== null; one = grantOne(state, now)) granted.push(one);
  return granted;
}

function grantOne(state: GpuPoolState, now: number): Grant | null {
  const kept = new Set<string>();
  const passed: Waiting[] = [];
  for (const { line, head } of heads(state)) {
    const place = bestFit(state, head, kept, now);
    if (place !== null) {
      for (const earlier of passed) earlier.overtaken += 1;
      return take(state, line, head, place, now);
    }
    if (head.overtaken >= MAX_OVERTAKEN) {
      const host = keptFor(state, head, kept, now);
      if (host !== undefined) kept.add((head.keptHost = host));
    }
    passed.push(head);
  }
  return null;
}

function heads(state: GpuPoolState): { line: GpuPoolState['lines'][number]; head: Waiting }[] {
  return state.lines
    .flatMap((line) => (line.requests[0] === undefined ? [] : [{ line, head: line.requests[0] }]))
    .map((entry, turn) => ({ ...entry, turn }))
    .sort((a, b) => a.head.priority - b.head.priority || a.turn - b.turn);
}

function take(
  state: GpuPoolState,
  line: GpuPoolState['lines'][number],
  head: Waiting,
  place: { hostId: string; free: string[] },
  now: number,
): Grant {
  line.requests.shift();
  // Move the batch to the end of the turn; drop an empty queue.
  state.lines = [...state.lines.filter((one) => one !== line), ...(line.requests.length > 0 ? [line] : [])];
  const lease = { token: state.nextToken++, hostId: place.hostId, devices: place.free.slice(0, head.gpus) };
  const expiresAt = head.ttlSeconds === undefined ? null : now + head.ttlSeconds * 1000;
  state.held.push({ runId: head.runId, lease, expiresAt });
  return { runId: head.runId, lease };
}

/** The fewest sufficient free GPUs, which keeps whole hosts for large requests. */
function bestFit(
  state: GpuPoolState,
  head: Waiting,
  kept: ReadonlySet<string>,
  now: number,
): { hostId: string; free: string[] } | null {
  const fitting = state.hosts
    .filter((host) => !kept.has(host.hostId) && offers(host, head, now))
    .map((host) => ({ hostId: host.hostId, free: usableFor(freeDevices(state, host), head.gpus) }))
    .filter((host) => host.free.length >= head.gpus)
    .sort((a, b) => a.free.length - b.free.length);
  return fitting[0] ?? null;
}

/** The host already kept, or, of those large enough, the one that lacks the fewest GPUs. */
function keptFor(state: GpuPoolState, head: Waiting, kept: ReadonlySet<string>, now: number): string | undefined {
  const able = state.hosts
    .filter(({ devices }) => usableFor(devices, head.gpus).length >= head.gpus)
    .filter((host) => !kept.has(host.hostId) && offers(host, head, now))
    .map((host) => ({ hostId: host.hostId, free: usableFor(freeDevices(state, host), head.gpus).length }))
    .sort((a, b) => b.free - a.free);
  return (able.find((host) => host.hostId === head.keptHost) ?? able[0])?.hostId;
}

const offers = ({ backends, endsAt }: GpuHost, { backend, seconds = 0 }: LeaseRequest, now: number): boolean =>
  backends.includes(backend) && (endsAt == null || now + seconds * 1000 <= endsAt);

function freeDevices(state: GpuPoolState, host: GpuHost): string[] {
  const taken = new Set(
    [...state.held, ...state.lost].filter((h) => h.lease.hostId === host.hostId).flatMap((h) => h.lease.devices),
  );
  return host.devices.filter((device) => !taken.has(device));
}
