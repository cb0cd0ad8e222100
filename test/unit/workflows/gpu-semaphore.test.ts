import { expect, it } from 'vitest';
import { seededRandom } from '../../setup/random.js';
import {
  emptyPool,
  grant,
  release,
  request,
  revoke,
  setHosts,
  waitingCount,
  withdraw,
  type GpuPoolState,
} from '../../../workflows/gpu-pool-state.js';

const GPUS = ['0', '1', '2', '3', '4', '5', '6', '7'];
/** Between a holder's death and its GPUs' release: the pool's round and the removal of containers. */
const RECLAIM_S = 30;
const SEED = Number(process.env['BENCH_SEMAPHORE_SEED'] ?? 8);

interface Run {
  runId: string;
  batchId: string;
  gpus: number;
  /** Seconds. */
  lasts: number;
  arrives: number;
  /** So long after its grant it is killed; null: never. */
  killedAfter: number | null;
}

interface Outcome {
  /** Part of all GPU seconds, until the last run had begun, in which a GPU was held by a run that lived. */
  utilisation: number;
  longestWait: number;
  longestReclaim: number;
  doubles: string[];
  served: number;
}

/** 500 runs that want 1 to 4 of 8 GPUs, of five batches. */
function traffic(seed: number, kills: number): Run[] {
  const random = seededRandom(seed);
  return Array.from({ length: 500 }, (_, i) => ({
    runId: `r${i}`,
    batchId: `b${Math.floor(random() * 5)}`,
    gpus: 1 + Math.floor(random() * 4),
    lasts: 600 + Math.floor(random() * 3000),
    arrives: Math.floor(random() * 600),
    killedAfter: random() < kills ? Math.floor(random() * 1800) : null,
  }));
}

/** Second by event: arrivals, ends, kills and reclaims in order of time. */
function simulate(runs: Run[]): Outcome {
  let state: GpuPoolState = emptyPool();
  setHosts(state, [{ hostId: 'h', devices: GPUS }]);
  const events: { at: number; do: (now: number) => void }[] = [];
  const after = (at: number, work: (now: number) => void): void => {
    const index = events.findIndex((event) => event.at > at);
    events.splice(index === -1 ? events.length : index, 0, { at, do: work });
  };
  const byId = new Map(runs.map((run) => [run.runId, run]));
  const holders = new Map<string, string>();
  const outcome: Outcome = { utilisation: 0, longestWait: 0, longestReclaim: 0, doubles: [], served: 0 };
  let useful = 0;
  let lastGrant = 0;
  /** Grants, as `[from, to, gpus]` of use. */
  const used: [number, number, number][] = [];

  const free = (runId: string, token: number, devices: string[]): void => {
    for (const device of devices) if (holders.get(device) === runId) holders.delete(device);
    release(state, runId, token);
  };
  const serve = (now: number): void => {
    for (const { runId, lease } of grant(state, now * 1000)) {
      const run = byId.get(runId) as Run;
      outcome.served += 1;
      lastGrant = now;
      outcome.longestWait = Math.max(outcome.longestWait, now - run.arrives);
      for (const device of lease.devices) {
        if (holders.has(device)) outcome.doubles.push(`${device}: ${holders.get(device)} and ${runId}`);
        holders.set(device, runId);
      }
      const lives = run.killedAfter === null ? run.lasts : Math.min(run.lasts, run.killedAfter);
      used.push([now, now + lives, run.gpus]);
      const killed = lives < run.lasts;
      after(now + lives, (at) => {
        if (!killed) return free(runId, lease.token, lease.devices);
        // The dead give nothing back: the pool finds out, and takes it.
        after(at + RECLAIM_S, () => {
          revoke(state, lease.token);
          outcome.longestReclaim = Math.max(outcome.longestReclaim, RECLAIM_S);
          free(runId, lease.token, lease.devices);
        });
      });
    }
  };

  for (const run of runs) after(run.arrives, () => request(state, run));
  // A waiting run that is cancelled, and one that asks twice, change nothing for the others.
  after(300, () => request(state, { runId: 'impatient', batchId: 'b0', gpus: 8 }));
  after(301, () => withdraw(state, 'impatient'));
  for (let next = events.shift(); next !== undefined; next = events.shift()) {
    next.do(next.at);
    // Continue-as-new at any moment: the state is what JSON keeps of it.
    state = JSON.parse(JSON.stringify(state)) as GpuPoolState;
    serve(next.at);
  }
  expect(waitingCount(state)).toBe(0);
  expect(state.held).toEqual([]);
  for (const [from, to, gpus] of used) useful += Math.max(0, Math.min(to, lastGrant) - from) * gpus;
  outcome.utilisation = useful / (lastGrant * GPUS.length);
  return outcome;
}

it.each([SEED])(
  '500 runs with random deaths: nobody holds what another has, all are served, GPUs are used almost as without (seed %i)',
  (seed) => {
    const disturbed = simulate(traffic(seed, 0.2));
    expect(disturbed).toMatchObject({ doubles: [], served: 500 });
    // The same runs, as long as they lived, under the same policy, each giving back what it held.
    const lived = traffic(seed, 0.2).map((run) => ({
      ...run,
      lasts: run.killedAfter === null ? run.lasts : Math.min(run.lasts, run.killedAfter),
      killedAfter: null,
    }));
    const calm = simulate(lived);
    expect(disturbed.utilisation).toBeGreaterThanOrEqual(0.95 * calm.utilisation);
    expect(disturbed.longestWait).toBeLessThan(1.1 * calm.longestWait);
    expect(disturbed.longestReclaim).toBeLessThanOrEqual(30);
  },
);

it('a request for all GPUs is served in the midst of endless small ones', () => {
  const state = emptyPool();
  setHosts(state, [{ hostId: 'h', devices: GPUS }]);
  const random = seededRandom(SEED);
  let served = false;
  for (let i = 0; i < 400 && !served; i++) {
    request(state, { runId: `s${i}`, gpus: 1 + Math.floor(random() * 2), batchId: `b${i % 3}` });
    if (i === 50) request(state, { runId: 'whole', gpus: 8, batchId: 'whole' });
    served = grant(state).some(({ runId }) => runId === 'whole');
    const oldest = state.held[0];
    if (oldest !== undefined && state.held.length > 4) release(state, oldest.runId, oldest.lease.token);
    else if (oldest !== undefined && random() < 0.5) release(state, oldest.runId, oldest.lease.token);
  }
  expect(served).toBe(true);
});
