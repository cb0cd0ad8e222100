import {
  emptyPool,
  grant,
  release,
  revoke,
  waitingCount,
  withdraw,
  type GpuPoolState,
} from '../../workflows/gpu-pool-state.js';
import { request, setHosts } from '../fakes/gpu-pool.js';

export const GPUS = ['0', '1', '2', '3', '4', '5', '6', '7'];
/** From a holder's death to its GPUs' release: the pool's round and container removal. */
const RECLAIM_S = 30;

export interface SimulatedRun {
  runId: string;
  batchId: string;
  gpus: number;
  /** Seconds. */
  lasts: number;
  arrives: number;
  /** Seconds after its grant at which it is killed; null: never. */
  killedAfter: number | null;
}

export interface SimulatedUse {
  /** Share of GPU seconds, until the last run began, in which a living run had the GPU. */
  utilisation: number;
  longestWait: number;
  longestReclaim: number;
  doubles: string[];
  served: number;
  /** Requests and leases that remained. */
  left: number;
}

/** `impatient`: when a client requests all GPUs and cancels a second later; they must be busy. */
export function simulateGpuPool(runs: readonly SimulatedRun[], impatient: number | null = null): SimulatedUse {
  let state: GpuPoolState = emptyPool();
  setHosts(state, [{ hostId: 'h', devices: GPUS }]);
  const events: { at: number; do: (now: number) => void }[] = [];
  const after = (at: number, work: (now: number) => void): void => {
    const index = events.findIndex((event) => event.at > at);
    events.splice(index === -1 ? events.length : index, 0, { at, do: work });
  };
  const byId = new Map(runs.map((run) => [run.runId, run]));
  const holders = new Map<string, string>();
  const outcome: SimulatedUse = { utilisation: 0, longestWait: 0, longestReclaim: 0, doubles: [], served: 0, left: 0 };
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
      const run = byId.get(runId) as SimulatedRun;
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
        // The dead return nothing: the pool detects and reclaims it.
        after(at + RECLAIM_S, () => {
          revoke(state, lease.token);
          outcome.longestReclaim = Math.max(outcome.longestReclaim, RECLAIM_S);
          free(runId, lease.token, lease.devices);
        });
      });
    }
  };

  for (const run of runs) after(run.arrives, () => request(state, run));
  if (impatient !== null) {
    after(impatient, () => request(state, { runId: 'impatient', batchId: 'b0', gpus: 8 }));
    after(impatient + 1, () => withdraw(state, 'impatient'));
  }
  for (let next = events.shift(); next !== undefined; next = events.shift()) {
    next.do(next.at);
    // Continue-as-new at any moment: the state survives as JSON.
    state = JSON.parse(JSON.stringify(state)) as GpuPoolState;
    serve(next.at);
  }
  outcome.left = waitingCount(state) + state.held.length;
  for (const [from, to, gpus] of used) useful += Math.max(0, Math.min(to, lastGrant) - from) * gpus;
  outcome.utilisation = useful / (lastGrant * GPUS.length);
  return outcome;
}
