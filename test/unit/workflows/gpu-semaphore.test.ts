import { expect, it } from 'vitest';
import { seededRandom } from '../../setup/random.js';
import { GPUS, simulateGpuPool, type SimulatedRun } from '../../setup/simulated-gpu-pool.js';
import { emptyPool, grant, release } from '../../../workflows/gpu-pool-state.js';
import { request, setHosts } from '../../fakes/gpu-pool.js';

const SEED = Number(process.env['BENCH_SEMAPHORE_SEED'] ?? 8);

/** 500 runs that want 1 to 4 of 8 GPUs, of five batches. */
function traffic(seed: number, kills: number): SimulatedRun[] {
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

it.each([SEED])(
  '500 runs with random deaths: nobody holds what another has, all are served, GPUs are used almost as without (seed %i)',
  (seed) => {
    // A waiting run that is cancelled changes nothing for the others.
    const disturbed = simulateGpuPool(traffic(seed, 0.2), 300);
    expect(disturbed).toMatchObject({ doubles: [], served: 500, left: 0 });
    // The same runs, as long as they lived, under the same policy, each giving back what it held.
    const lived = traffic(seed, 0.2).map((run) => ({
      ...run,
      lasts: run.killedAfter === null ? run.lasts : Math.min(run.lasts, run.killedAfter),
      killedAfter: null,
    }));
    const calm = simulateGpuPool(lived, 300);
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
