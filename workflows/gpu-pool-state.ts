import type { Lease, LeaseRequest } from '../domain/messages.js';

/** The GPU semaphore as a pure state: who has what, who waits. Plain JSON, so that it survives continue-as-new. */
export interface GpuPoolState {
  /** Device ids by host. */
  hosts: { hostId: string; devices: string[] }[];
  /** First come, first served. */
  waiting: LeaseRequest[];
  held: { runId: string; lease: Lease }[];
  nextToken: number;
}

export const emptyPool = (): GpuPoolState => ({ hosts: [], waiting: [], held: [], nextToken: 1 });

/** A host names its GPUs; a repeated registration replaces the earlier one, leases stay. */
export function registerHost(state: GpuPoolState, host: { hostId: string; devices: string[] }): void {
  state.hosts = [...state.hosts.filter((other) => other.hostId !== host.hostId), host];
}

/** Queue a request, once per run. */
export function request(state: GpuPoolState, wanted: LeaseRequest): void {
  const known = state.waiting.some((r) => r.runId === wanted.runId) || state.held.some((h) => h.runId === wanted.runId);
  if (!known) state.waiting.push(wanted);
}

/** The run's lease is given back, or it waits no longer. A token that is not the holder's changes nothing. */
export function release(state: GpuPoolState, runId: string, token: number | null): void {
  state.waiting = state.waiting.filter((r) => r.runId !== runId);
  state.held = state.held.filter((h) => h.runId !== runId || (token !== null && h.lease.token !== token));
}

/**
 * Grants that are possible now: all GPUs of a request at once, on one host, in order of arrival. The head of the line is
 * never overtaken, so a request for many GPUs cannot starve.
 */
export function grant(state: GpuPoolState): { runId: string; lease: Lease }[] {
  const granted: { runId: string; lease: Lease }[] = [];
  for (let head = state.waiting[0]; head !== undefined; head = state.waiting[0]) {
    const wanted = head;
    const place = state.hosts
      .map((host) => ({ hostId: host.hostId, free: freeDevices(state, host) }))
      .find((host) => host.free.length >= wanted.gpus);
    if (place === undefined) break;
    state.waiting.shift();
    const lease = { token: state.nextToken++, hostId: place.hostId, devices: place.free.slice(0, wanted.gpus) };
    state.held.push({ runId: wanted.runId, lease });
    granted.push({ runId: wanted.runId, lease });
  }
  return granted;
}

function freeDevices(state: GpuPoolState, host: { hostId: string; devices: string[] }): string[] {
  const taken = new Set(state.held.filter((h) => h.lease.hostId === host.hostId).flatMap((h) => h.lease.devices));
  return host.devices.filter((device) => !taken.has(device));
}
