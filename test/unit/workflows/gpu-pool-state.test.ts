import { describe, expect, it } from 'vitest';
import {
  abandon,
  emptyPool,
  expired,
  grant,
  keepLost,
  lookedAfter,
  MAX_OVERTAKEN,
  poolOf as restored,
  release,
  revoke,
  waitingCount,
  type GpuPoolState,
} from '../../../workflows/gpu-pool-state.js';
import { request, setHosts } from '../../fakes/gpu-pool.js';

const poolOf = (devices: string[]): GpuPoolState => {
  const state = emptyPool();
  setHosts(state, [{ hostId: 'h', devices }]);
  return state;
};
const grantedTo = (state: GpuPoolState): string[] => grant(state).map((g) => g.runId);

describe('gpu pool', () => {
  it('grants nothing while no host is known, and the waiting request when one registers', () => {
    const state = emptyPool();
    request(state, { runId: 'a', gpus: 1 });
    expect(grantedTo(state)).toEqual([]);
    setHosts(state, [{ hostId: 'h', devices: ['0'] }]);
    expect(grantedTo(state)).toEqual(['a']);
  });
  it('grants one MIG instance to a run, and whole GPUs to a run with several', () => {
    const state = poolOf(['0', 'MIG-a', 'MIG-b']);
    request(state, { runId: 'pair', gpus: 2 });
    for (const runId of ['a', 'b', 'c']) request(state, { runId, gpus: 1, batchId: 'other' });
    expect(grant(state).map(({ runId, lease }) => [runId, lease.devices])).toEqual([
      ['a', ['0']],
      ['b', ['MIG-a']],
      ['c', ['MIG-b']],
    ]);
    setHosts(state, [{ hostId: 'h', devices: ['0', '1', 'MIG-a', 'MIG-b'] }]);
    release(state, 'a', 1);
    expect(grant(state).map(({ lease }) => lease.devices)).toEqual([['0', '1']]);
  });
  it('grants all GPUs of a request at once or none', () => {
    const state = poolOf(['0', '1']);
    request(state, { runId: 'a', gpus: 1 });
    request(state, { runId: 'b', gpus: 2 });
    expect(grantedTo(state)).toEqual(['a']);
    release(state, 'a', 1);
    expect(grant(state)).toEqual([{ runId: 'b', lease: { token: 2, hostId: 'h', devices: ['0', '1'] } }]);
  });
  it('serves one batch in order of arrival: nobody of it overtakes its head', () => {
    const state = poolOf(['0', '1']);
    request(state, { runId: 'a', gpus: 1 });
    grant(state);
    request(state, { runId: 'big', gpus: 2 });
    request(state, { runId: 'small', gpus: 1 });
    expect(grantedTo(state)).toEqual([]);
    release(state, 'a', null);
    expect(grantedTo(state)).toEqual(['big']);
  });
  it('lets batches take turns, however many requests one of them has', () => {
    const state = poolOf(['0']);
    for (const runId of ['a1', 'a2', 'a3']) request(state, { runId, gpus: 1, batchId: 'a' });
    for (const runId of ['b1', 'b2']) request(state, { runId, gpus: 1, batchId: 'b' });
    const order: string[] = [];
    for (let next = grantedTo(state); next.length > 0; next = grantedTo(state)) {
      order.push(...next);
      release(state, next[0]!, null);
    }
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });
  it('serves a higher priority first, whoever came earlier', () => {
    const state = poolOf(['0']);
    request(state, { runId: 'later', gpus: 1, batchId: 'a', priority: 4 });
    request(state, { runId: 'plain', gpus: 1, batchId: 'b' });
    request(state, { runId: 'urgent', gpus: 1, batchId: 'c', priority: 1 });
    expect(grantedTo(state)).toEqual(['urgent']);
    release(state, 'urgent', null);
    expect(grantedTo(state)).toEqual(['plain']);
  });
  it('fills gaps with what fits, but overtakes a large request only so many times', () => {
    const state = poolOf(['0', '1']);
    request(state, { runId: 'holder', gpus: 1, batchId: 'x' });
    grant(state);
    request(state, { runId: 'big', gpus: 2, batchId: 'big' });
    let served = 0;
    for (let i = 0; i < MAX_OVERTAKEN + 5; i++) {
      request(state, { runId: `small-${i}`, gpus: 1, batchId: 'small' });
      for (const runId of grantedTo(state)) {
        served++;
        release(state, runId, null);
      }
    }
    expect(served).toBe(MAX_OVERTAKEN);
    release(state, 'holder', null);
    expect(grantedTo(state)[0]).toBe('big');
  });
  it('keeps one host free for a large request, and the same one until it is served; the others go on', () => {
    const state = emptyPool();
    setHosts(
      state,
      ['h1', 'h2'].map((hostId) => ({ hostId, devices: ['0', '1'] })),
    );
    for (const runId of ['a', 'b', 'c', 'd']) request(state, { runId, gpus: 1, batchId: 'x' });
    grant(state);
    const releaseOn = (hostId: string): void =>
      release(state, state.held.find(({ lease }) => lease.hostId === hostId)!.runId, null);
    request(state, { runId: 'big', gpus: 2, batchId: 'big' });
    releaseOn('h2');
    for (let i = 0; i < MAX_OVERTAKEN; i++) {
      request(state, { runId: `small-${i}`, gpus: 1, batchId: 'small' });
      const [runId] = grantedTo(state);
      if (i < MAX_OVERTAKEN - 1) release(state, runId!, null);
    }
    for (const runId of ['s1', 's2', 's3']) request(state, { runId, gpus: 1, batchId: 'small' });
    expect(grantedTo(state)).toEqual([]);
    releaseOn('h1');
    releaseOn('h2');
    // A GPU is free on each host; one of the hosts is being emptied.
    const [went] = grant(state);
    expect(went).toMatchObject({ runId: 's1' });
    const other = went!.lease.hostId;
    const kept = other === 'h1' ? 'h2' : 'h1';
    releaseOn(other);
    expect(grant(state)).toMatchObject([{ runId: 's2', lease: { hostId: other } }]);
    releaseOn(kept);
    expect(grant(state)).toMatchObject([{ runId: 'big', lease: { hostId: kept } }]);
  });
  it('takes the fullest host that is enough, so that whole hosts stay for large requests', () => {
    const state = emptyPool();
    setHosts(state, [
      { hostId: 'large', devices: ['0', '1', '2', '3'] },
      { hostId: 'small', devices: ['0'] },
    ]);
    request(state, { runId: 'a', gpus: 1 });
    request(state, { runId: 'b', gpus: 4 });
    expect(grant(state).map(({ lease }) => lease.hostId)).toEqual(['small', 'large']);
  });
  it('forgets a request that is withdrawn', () => {
    const state = poolOf(['0']);
    for (const runId of ['a', 'b', 'c']) request(state, { runId, gpus: 1 });
    grant(state);
    release(state, 'b', null);
    release(state, 'a', 1);
    expect(grantedTo(state)).toEqual(['c']);
    expect(waitingCount(state)).toBe(0);
  });
  it('counts a repeated request once, waiting or held', () => {
    const state = poolOf(['0', '1']);
    request(state, { runId: 'a', gpus: 1 });
    request(state, { runId: 'a', gpus: 1 });
    expect(grantedTo(state)).toEqual(['a']);
    expect(state.held).toHaveLength(1);
  });
  it('tells a run that asks for what it holds once more, with the same lease', () => {
    const state = poolOf(['0', '1']);
    request(state, { runId: 'a', gpus: 1 });
    const first = grant(state);
    request(state, { runId: 'a', gpus: 1 });
    expect(grant(state)).toEqual(first);
    expect(grant(state)).toEqual([]);
  });
  it('gives a run whose lease is being taken back another one, and the GPUs to nobody before they are released', () => {
    const state = poolOf(['0', '1']);
    request(state, { runId: 'a', gpus: 1 });
    grant(state);
    revoke(state, 1);
    request(state, { runId: 'a', gpus: 1 });
    expect(grant(state)).toMatchObject([{ runId: 'a', lease: { token: 2, devices: ['1'] } }]);
    release(state, 'a', null);
    expect(state.held.map(({ lease }) => lease.token)).toEqual([1]);
    release(state, 'a', 1);
    expect(state.held).toEqual([]);
  });
  it('keeps the GPUs of an abandoned lease from everybody until its host is back', () => {
    const state = poolOf(['0']);
    request(state, { runId: 'a', gpus: 1 });
    grant(state);
    abandon(state, 'a', 1);
    request(state, { runId: 'a', gpus: 1 });
    expect(grantedTo(state)).toEqual([]);
    keepLost(state, [1]);
    expect(grantedTo(state)).toEqual([]);
    keepLost(state, []);
    expect(grant(state)).toMatchObject([{ runId: 'a', lease: { token: 2 } }]);
  });
  it('hands out nothing on a host that is gone, drained or lacks the backend, nor a GPU that others use', () => {
    const state = poolOf(['0', '1']);
    setHosts(state, []);
    request(state, { runId: 'a', gpus: 1, backend: 'docker' });
    expect(grantedTo(state)).toEqual([]);
    setHosts(state, [{ hostId: 'h', devices: ['0'], backends: ['local'] }]);
    expect(grantedTo(state)).toEqual([]);
    setHosts(state, [{ hostId: 'h', devices: ['1'], backends: ['docker', 'local'] }]);
    expect(grant(state)).toMatchObject([{ lease: { devices: ['1'] } }]);
  });
  it('hands out nothing on a host that leaves before the run may have ended', () => {
    const state = poolOf([]);
    setHosts(state, [{ hostId: 'h', devices: ['0', '1', '2'], endsAt: 100_000 }]);
    for (const [runId, seconds] of [
      ['long', 61],
      ['short', 60],
      ['unknown', undefined],
    ] as const)
      request(state, { runId, gpus: 1, batchId: runId, ...(seconds === undefined ? {} : { seconds }) });
    expect(grant(state, 40_000).map((g) => g.runId)).toEqual(['short', 'unknown']);
    expect(grant(state, 39_000).map((g) => g.runId)).toEqual(['long']);
  });
  it('knows which leases have lasted too long', () => {
    const state = poolOf(['0', '1']);
    request(state, { runId: 'a', gpus: 1, ttlSeconds: 10 });
    request(state, { runId: 'b', gpus: 1 });
    grant(state, 1_000);
    expect(expired(state, 10_999)).toEqual([]);
    expect(expired(state, 11_000).map(({ runId }) => runId)).toEqual(['a']);
  });
  it('lets no lease’s time run while nobody looked after it, or its host was away', () => {
    const state = poolOf(['0', '1']);
    setHosts(state, [
      { hostId: 'h', devices: ['0'] },
      { hostId: 'i', devices: ['0'] },
    ]);
    const look = (now: number, ...liveHosts: string[]) => lookedAfter(state, { now, roundMs: 10_000, liveHosts });
    look(0, 'h', 'i');
    request(state, { runId: 'a', gpus: 1, ttlSeconds: 100 });
    request(state, { runId: 'b', gpus: 1, ttlSeconds: 100 });
    grant(state, 0);
    look(10_000, 'h', 'i');
    // A weekend.
    look(200_000_000, 'h', 'i');
    expect(expired(state, 200_080_000)).toEqual([]);
    look(200_010_000, 'h');
    expect(expired(state, 200_090_000).map(({ lease }) => lease.hostId)).toEqual(['h']);
    expect(expired(state, 200_100_000).map(({ lease }) => lease.hostId)).toEqual(['h', 'i']);
  });
  it('begins anew with what Postgres knows as held, and with tokens that were never used', () => {
    const lease = { runId: 'a', token: 7, hostId: 'h', devices: ['0'], revoked: false, abandoned: false };
    const state = restored({ leases: [lease], nextToken: 9 });
    setHosts(state, [{ hostId: 'h', devices: ['0', '1'] }]);
    request(state, { runId: 'b', gpus: 1 });
    expect(grant(state)).toMatchObject([{ runId: 'b', lease: { token: 9, devices: ['1'] } }]);
  });
  it('begins anew with leases that were taken from their runs as nobody’s, and gives the runs others', () => {
    const [back, lost] = [
      { runId: 'a', token: 7, hostId: 'h', devices: ['0'], revoked: true, abandoned: false },
      { runId: 'b', token: 8, hostId: 'h', devices: ['1'], revoked: true, abandoned: true },
    ];
    const state = restored({ leases: [back, lost], nextToken: 9 });
    setHosts(state, [{ hostId: 'h', devices: ['0', '1', '2', '3'] }]);
    request(state, { runId: 'a', gpus: 1 });
    request(state, { runId: 'b', gpus: 1 });
    expect(grant(state)).toMatchObject([
      { runId: 'a', lease: { token: 9, devices: ['2'] } },
      { runId: 'b', lease: { token: 10, devices: ['3'] } },
    ]);
    keepLost(state, []);
    request(state, { runId: 'c', gpus: 1 });
    expect(grant(state)).toMatchObject([{ runId: 'c', lease: { devices: ['1'] } }]);
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
    setHosts(state, [{ hostId: 'h', devices: ['0'] }]);
    request(state, { runId: 'b', gpus: 1 });
    expect(grantedTo(state)).toEqual([]);
  });
  it('never grants a device twice over random traffic, and serves everyone in the end', () => {
    let seed = 7;
    const random = (n: number): number => (seed = (seed * 48271) % 2147483647) % n;
    const state = poolOf(['0', '1', '2', '3']);
    const served = new Set<string>();
    for (let i = 0; i < 500; i++) {
      request(state, {
        runId: `r${i}`,
        gpus: 1 + random(4),
        batchId: `b${random(5)}`,
        priority: 1 + random(5),
      });
      for (const { runId } of grant(state)) served.add(runId);
      const devices = state.held.flatMap((h) => h.lease.devices);
      expect(new Set(devices).size).toBe(devices.length);
      const holder = state.held[random(state.held.length || 1)];
      if (holder !== undefined && random(3) > 0) release(state, holder.runId, holder.lease.token);
    }
    while (state.held.length > 0 || waitingCount(state) > 0) {
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
