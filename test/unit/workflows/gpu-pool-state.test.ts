import { describe, expect, it } from 'vitest';
import {
  emptyPool,
  grant,
  registerHost,
  release,
  request,
  type GpuPoolState,
} from '../../../workflows/gpu-pool-state.js';

const poolOf = (devices: string[]): GpuPoolState => {
  const state = emptyPool();
  registerHost(state, { hostId: 'h', devices });
  return state;
};
const grantedTo = (state: GpuPoolState): string[] => grant(state).map((g) => g.runId);

describe('gpu pool', () => {
  it('grants nothing while no host is known, and the waiting request when one registers', () => {
    const state = emptyPool();
    request(state, { runId: 'a', gpus: 1 });
    expect(grantedTo(state)).toEqual([]);
    registerHost(state, { hostId: 'h', devices: ['0'] });
    expect(grantedTo(state)).toEqual(['a']);
  });
  it('grants all GPUs of a request at once or none', () => {
    const state = poolOf(['0', '1']);
    request(state, { runId: 'a', gpus: 1 });
    request(state, { runId: 'b', gpus: 2 });
    expect(grantedTo(state)).toEqual(['a']);
    release(state, 'a', 1);
    expect(grant(state)).toEqual([{ runId: 'b', lease: { token: 2, hostId: 'h', devices: ['0', '1'] } }]);
  });
  it('never lets a later small request overtake the head of the line', () => {
    const state = poolOf(['0', '1']);
    request(state, { runId: 'a', gpus: 1 });
    grant(state);
    request(state, { runId: 'big', gpus: 2 });
    request(state, { runId: 'small', gpus: 1 });
    expect(grantedTo(state)).toEqual([]);
    release(state, 'a', null);
    expect(grantedTo(state)).toEqual(['big']);
  });
  it('counts a repeated request once, waiting or held', () => {
    const state = poolOf(['0', '1']);
    request(state, { runId: 'a', gpus: 1 });
    request(state, { runId: 'a', gpus: 1 });
    expect(grantedTo(state)).toEqual(['a']);
    request(state, { runId: 'a', gpus: 1 });
    expect(grantedTo(state)).toEqual([]);
  });
  it('ignores a release with an old token and a second release', () => {
    const state = poolOf(['0']);
    request(state, { runId: 'a', gpus: 1 });
    grant(state);
    release(state, 'a', 99);
    expect(state.held).toHaveLength(1);
    release(state, 'a', 1);
    release(state, 'a', 1);
    expect(state.held).toHaveLength(0);
  });
  it('keeps leases when a host registers again', () => {
    const state = poolOf(['0']);
    request(state, { runId: 'a', gpus: 1 });
    grant(state);
    registerHost(state, { hostId: 'h', devices: ['0'] });
    request(state, { runId: 'b', gpus: 1 });
    expect(grantedTo(state)).toEqual([]);
  });
  it('never grants a device twice over random traffic, and serves everyone in the end', () => {
    let seed = 7;
    const random = (n: number): number => (seed = (seed * 48271) % 2147483647) % n;
    const state = poolOf(['0', '1', '2', '3']);
    const served = new Set<string>();
    for (let i = 0; i < 500; i++) {
      request(state, { runId: `r${i}`, gpus: 1 + random(4) });
      for (const { runId } of grant(state)) served.add(runId);
      const devices = state.held.flatMap((h) => h.lease.devices);
      expect(new Set(devices).size).toBe(devices.length);
      const holder = state.held[random(state.held.length || 1)];
      if (holder !== undefined && random(3) > 0) release(state, holder.runId, holder.lease.token);
    }
    while (state.held.length > 0 || state.waiting.length > 0) {
      const holder = state.held[0];
      if (holder !== undefined) release(state, holder.runId, holder.lease.token);
      for (const { runId } of grant(state)) served.add(runId);
    }
    expect(served.size).toBe(500);
  });
  it('is plain JSON, so that it survives continue-as-new', () => {
    const state = poolOf(['0']);
    request(state, { runId: 'a', gpus: 1 });
    grant(state);
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });
});
