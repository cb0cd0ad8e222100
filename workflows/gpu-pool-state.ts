import type { Lease, LeaseRequest } from '../domain/messages.js';

/** A request that waits, and how often later requests have been served before it while it stood at the head of its batch. */
interface Waiting extends LeaseRequest {
  overtaken: number;
  /** Kept free for it since it was overtaken often enough. */
  keptHost?: string;
}

/** The GPU semaphore as a pure state: who has what, who waits. Plain JSON, so that it survives continue-as-new. */
export interface GpuPoolState {
  /** Device ids by host. */
  hosts: { hostId: string; devices: string[] }[];
  /** One line per batch, each in order of arrival. The batch that was served longest ago comes first. */
  lines: { batchId: string; requests: Waiting[] }[];
  held: { runId: string; lease: Lease }[];
  /** Fencing tokens only grow. */
  nextToken: number;
}

/** So many later requests may pass a head of a line that does not fit yet; then a host is kept free for it. */
export const MAX_OVERTAKEN = 16;
export const DEFAULT_PRIORITY = 3;

export const emptyPool = (): GpuPoolState => ({ hosts: [], lines: [], held: [], nextToken: 1 });

/** A host names its GPUs; a repeated registration replaces the earlier one, leases stay. */
export function registerHost(state: GpuPoolState, host: { hostId: string; devices: string[] }): void {
  const others = state.hosts.filter((other) => other.hostId !== host.hostId);
  state.hosts = [...others, host].sort((a, b) => (a.hostId < b.hostId ? -1 : 1));
}

export const waitingCount = (state: GpuPoolState): number =>
  state.lines.reduce((sum, line) => sum + line.requests.length, 0);

/** Queue a request, once per run. */
export function request(state: GpuPoolState, wanted: LeaseRequest): void {
  const waits = state.lines.some((line) => line.requests.some((one) => one.runId === wanted.runId));
  if (waits || state.held.some((holder) => holder.runId === wanted.runId)) return;
  const batchId = wanted.batchId ?? '';
  const line = state.lines.find((one) => one.batchId === batchId);
  const entry: Waiting = { ...wanted, overtaken: 0 };
  if (line === undefined) state.lines.push({ batchId, requests: [entry] });
  else line.requests.push(entry);
}

/** The run's lease is given back, or it waits no longer. A token that is not the holder's changes nothing. */
export function release(state: GpuPoolState, runId: string, token: number | null): void {
  for (const line of state.lines) line.requests = line.requests.filter((one) => one.runId !== runId);
  state.lines = state.lines.filter((line) => line.requests.length > 0);
  state.held = state.held.filter(
    (holder) => holder.runId !== runId || (token !== null && holder.lease.token !== token),
  );
}

/**
 * Grants that are possible now: all GPUs of a request at once, on one host. Higher priority first (1 before 5); within one, batches take
 * turns; within a batch, first come, first served. A head that does not fit may be overtaken by what does (backfill), a bounded
 * number of times: then one host is kept free for it, so a request for many GPUs cannot starve.
 */
export function grant(state: GpuPoolState): { runId: string; lease: Lease }[] {
  const granted: { runId: string; lease: Lease }[] = [];
  for (let one = grantOne(state); one !== null; one = grantOne(state)) granted.push(one);
  return granted;
}

function grantOne(state: GpuPoolState): { runId: string; lease: Lease } | null {
  /** Hosts kept free for a head that was overtaken often enough. */
  const kept = new Set<string>();
  const passed: Waiting[] = [];
  for (const { line, head } of heads(state)) {
    const place = bestFit(state, head.gpus, kept);
    if (place !== null) {
      for (const earlier of passed) earlier.overtaken += 1;
      return take(state, line, head, place);
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
    .sort((a, b) => priorityOf(a.head) - priorityOf(b.head) || a.turn - b.turn);
}

const priorityOf = (wanted: LeaseRequest): number => wanted.priority ?? DEFAULT_PRIORITY;

function take(
  state: GpuPoolState,
  line: GpuPoolState['lines'][number],
  head: Waiting,
  place: { hostId: string; free: string[] },
): { runId: string; lease: Lease } {
  line.requests.shift();
  // To the end of the turn; a line without requests goes.
  state.lines = [...state.lines.filter((one) => one !== line), ...(line.requests.length > 0 ? [line] : [])];
  const lease = { token: state.nextToken++, hostId: place.hostId, devices: place.free.slice(0, head.gpus) };
  state.held.push({ runId: head.runId, lease });
  return { runId: head.runId, lease };
}

/** The host with the fewest free GPUs that are enough: large requests find whole hosts longer. */
function bestFit(
  state: GpuPoolState,
  gpus: number,
  kept: ReadonlySet<string>,
): { hostId: string; free: string[] } | null {
  const fitting = state.hosts
    .filter((host) => !kept.has(host.hostId))
    .map((host) => ({ hostId: host.hostId, free: freeDevices(state, host) }))
    .filter((host) => host.free.length >= gpus)
    .sort((a, b) => a.free.length - b.free.length);
  return fitting[0] ?? null;
}

/** The host that is kept already, or else, of those that could ever bear the request, the one that lacks the fewest GPUs now. */
function keptFor(state: GpuPoolState, head: Waiting, kept: ReadonlySet<string>): string | undefined {
  const able = state.hosts
    .filter((host) => host.devices.length >= head.gpus && !kept.has(host.hostId))
    .map((host) => ({ hostId: host.hostId, free: freeDevices(state, host).length }))
    .sort((a, b) => b.free - a.free);
  return (able.find((host) => host.hostId === head.keptHost) ?? able[0])?.hostId;
}

function freeDevices(state: GpuPoolState, host: { hostId: string; devices: string[] }): string[] {
  const taken = new Set(state.held.filter((h) => h.lease.hostId === host.hostId).flatMap((h) => h.lease.devices));
  return host.devices.filter((device) => !taken.has(device));
}
