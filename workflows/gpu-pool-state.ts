import type { Lease, LeaseRequest } from '../domain/messages.js';
import type { GpuHost, OpenLease } from '../domain/ports/record/leases.js';

/** A request that waits, and how often later requests have been served before it while it stood at the head of its batch. */
interface Waiting extends LeaseRequest {
  overtaken: number;
  /** Kept free for it since it was overtaken often enough. */
  keptHost?: string;
}

interface Held {
  runId: string;
  lease: Lease;
  /** Milliseconds since 1970; null: it may be held for ever. */
  expiresAt: number | null;
  /** It is being taken back: the run does not have it any more, and nobody else has it yet. */
  revoking?: true;
}

/** The GPU semaphore as a pure state: who has what, who waits. Plain JSON, so that it survives continue-as-new. */
export interface GpuPoolState {
  /** Hosts that hand out GPUs now. What runs hold elsewhere they keep. */
  hosts: GpuHost[];
  /** One line per batch, each in order of arrival. The batch that was served longest ago comes first. */
  lines: { batchId: string; requests: Waiting[] }[];
  held: Held[];
  /** Leases whose hosts are lost: nobody has those GPUs until the hosts are back. */
  lost: Held[];
  /** Runs that ask for what they hold: they are told once more. */
  repeats: string[];
  /** Fencing tokens only grow. */
  nextToken: number;
  /** When hosts and holders were last looked after, milliseconds since 1970. */
  lookedAt?: number;
  /** Leave for a fresh history after so many events; only tests set it. */
  continueAfterEvents?: number;
}

export interface Grant {
  runId: string;
  lease: Lease;
}

/** So many later requests may pass a head of a line that does not fit yet; then a host is kept free for it. */
export const MAX_OVERTAKEN = 16;
/** A round that comes so many times later than it should: the services were away. */
const ROUNDS_MISSED = 6;

export const emptyPool = (): GpuPoolState => ({ hosts: [], lines: [], held: [], lost: [], repeats: [], nextToken: 1 });

/** A pool that begins where another was cut off: what Postgres knows as held, is held. */
export function poolOf({ leases, nextToken }: { leases: OpenLease[]; nextToken: number }): GpuPoolState {
  const state = { ...emptyPool(), nextToken };
  for (const { runId, revoked, abandoned, ...lease } of leases) {
    const holder: Held = { runId, lease, expiresAt: null };
    if (abandoned) state.lost.push(holder);
    else state.held.push(revoked ? { ...holder, revoking: true } : holder);
  }
  return state;
}

/** The hosts as they are now replace those known before; leases stay. */
export function setHosts(state: GpuPoolState, hosts: GpuHost[]): void {
  state.hosts = [...hosts].sort((a, b) => (a.hostId < b.hostId ? -1 : 1));
}

export const waitingCount = (state: GpuPoolState): number =>
  state.lines.reduce((sum, line) => sum + line.requests.length, 0);

/** Nobody holds anything or waits: nothing can happen but a request. */
export const isIdle = (state: GpuPoolState): boolean =>
  state.held.length === 0 && state.lost.length === 0 && state.lines.length === 0;

/** The runs whose end would change something: holders, and who stands first in a line. */
export const watchedRuns = (state: GpuPoolState): string[] => [
  ...state.held.map((holder) => holder.runId),
  ...state.lines.flatMap((line) => (line.requests[0] === undefined ? [] : [line.requests[0].runId])),
];

/** Queue a request, once per run. A run that holds its lease already is told again. */
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

/** The run waits no longer. */
export function withdraw(state: GpuPoolState, runId: string): void {
  for (const line of state.lines) line.requests = line.requests.filter((one) => one.runId !== runId);
  state.lines = state.lines.filter((line) => line.requests.length > 0);
}

/**
 * The lease is given back. Without a token: whatever the run has, and it waits no longer. A token that is not the holder's changes
 * nothing.
 */
export function release(state: GpuPoolState, runId: string, token: number | null): void {
  if (token === null) withdraw(state, runId);
  state.held = state.held.filter(
    (holder) => holder.runId !== runId || (token === null ? holder.revoking === true : holder.lease.token !== token),
  );
}

/** The lease is being taken back; its GPUs are free when it is released. */
export function revoke(state: GpuPoolState, token: number): void {
  for (const holder of state.held) if (holder.lease.token === token) holder.revoking = true;
}

/** The lease's host is lost: the run may ask for another, those GPUs are nobody's. */
export function abandon(state: GpuPoolState, runId: string, token: number): void {
  const gone = state.held.filter((holder) => holder.runId === runId && holder.lease.token === token);
  state.held = state.held.filter((holder) => !gone.includes(holder));
  state.lost.push(...gone);
}

/** Of the abandoned leases only these are not free yet. */
export function keepLost(state: GpuPoolState, tokens: number[]): void {
  state.lost = state.lost.filter((holder) => tokens.includes(holder.lease.token));
}

/**
 * Hosts and holders were looked after. The time since then is nobody's if it was much longer than a round, for then all was away, nor that of
 * holders on hosts that are not heard: their leases last so much longer.
 */
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
 * Grants that are possible now: all GPUs of a request at once, on one host. Higher priority first (1 before 5); within one, batches take
 * turns; within a batch, first come, first served. A head that does not fit may be overtaken by what does (backfill), a bounded
 * number of times: then one host is kept free for it, so a request for many GPUs cannot starve.
 */
export function grant(state: GpuPoolState, now = 0): Grant[] {
  const repeated = state.held.filter((holder) => state.repeats.includes(holder.runId) && holder.revoking !== true);
  state.repeats = [];
  const granted: Grant[] = repeated.map(({ runId, lease }) => ({ runId, lease }));
  for (let one = grantOne(state, now); one !== null; one = grantOne(state, now)) granted.push(one);
  return granted;
}

function grantOne(state: GpuPoolState, now: number): Grant | null {
  /** Hosts kept free for a head that was overtaken often enough. */
  const kept = new Set<string>();
  const passed: Waiting[] = [];
  for (const { line, head } of heads(state)) {
    const place = bestFit(state, head, kept);
    if (place !== null) {
      for (const earlier of passed) earlier.overtaken += 1;
      return take(state, line, head, place, now);
    }
    if (head.overtaken >= MAX_OVERTAKEN) {
      const host = keptFor(state, head, kept);
      if (host !== undefined) kept.add((head.keptHost = host));
    }
    passed.push(head);
  }
  return null;
}

/** Heads of the lines in the order in which they are to be served. */
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
  // To the end of the turn; a line without requests goes.
  state.lines = [...state.lines.filter((one) => one !== line), ...(line.requests.length > 0 ? [line] : [])];
  const lease = { token: state.nextToken++, hostId: place.hostId, devices: place.free.slice(0, head.gpus) };
  const expiresAt = head.ttlSeconds === undefined ? null : now + head.ttlSeconds * 1000;
  state.held.push({ runId: head.runId, lease, expiresAt });
  return { runId: head.runId, lease };
}

/** The host with the fewest free GPUs that are enough: large requests find whole hosts longer. */
function bestFit(
  state: GpuPoolState,
  head: Waiting,
  kept: ReadonlySet<string>,
): { hostId: string; free: string[] } | null {
  const fitting = state.hosts
    .filter((host) => !kept.has(host.hostId) && offers(host, head))
    .map((host) => ({ hostId: host.hostId, free: freeDevices(state, host) }))
    .filter((host) => host.free.length >= head.gpus)
    .sort((a, b) => a.free.length - b.free.length);
  return fitting[0] ?? null;
}

/** The host that is kept already, or else, of those that could ever bear the request, the one that lacks the fewest GPUs now. */
function keptFor(state: GpuPoolState, head: Waiting, kept: ReadonlySet<string>): string | undefined {
  const able = state.hosts
    .filter((host) => host.devices.length >= head.gpus && !kept.has(host.hostId) && offers(host, head))
    .map((host) => ({ hostId: host.hostId, free: freeDevices(state, host).length }))
    .sort((a, b) => b.free - a.free);
  return (able.find((host) => host.hostId === head.keptHost) ?? able[0])?.hostId;
}

const offers = (host: GpuHost, { backend }: LeaseRequest): boolean => host.backends.includes(backend);

function freeDevices(state: GpuPoolState, host: GpuHost): string[] {
  const taken = new Set(
    [...state.held, ...state.lost].filter((h) => h.lease.hostId === host.hostId).flatMap((h) => h.lease.devices),
  );
  return host.devices.filter((device) => !taken.has(device));
}
