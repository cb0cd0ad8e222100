import { truncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { batchWorkflowId, runWorkflowId, shardWorkflowId } from '../../domain/run/queues.js';
import type { Bench } from '../../operations/bench.js';
import { servicePaths } from '../../services/home-paths.js';
import { BenchHome } from '../setup/bench-home.js';
import { benchOf } from '../setup/bench-of.js';
import { pick, seededRandom } from '../setup/random.js';
import { pauseService } from './kill-service.js';
import { starveService } from './starved-service.js';

// BENCH_CHAOS_SEED gives other moments, BENCH_CHAOS_RUNS another number of runs.
const SEED = Number(process.env['BENCH_CHAOS_SEED'] ?? 20);
const RUNS = Number(process.env['BENCH_CHAOS_RUNS'] ?? 200);
const MODELS = ['scripted:counter:12', 'scripted:slow:3'];
const CONCURRENCY = 24;
/** What a heartbeat and a workflow task survive, and what they do not. */
const FREEZES_MS = [12_000, 70_000];
const STARVED_MS = 20_000;
const LIMIT_MS = 4 * 3_600_000;

const random = seededRandom(SEED);
let home: BenchHome;
let bench: Bench;
beforeAll(() => {
  home = new BenchHome();
  bench = benchOf(home);
});
afterAll(async () => {
  await bench.close();
  await home.remove();
});

/** A fault; what it did, for the report; null: there was nothing to strike. */
type Fault = (batchId: string) => Promise<string | null>;

const FAULTS: Readonly<Record<string, Fault>> = {
  starve: async () => ((await starveService(home, 'worker', STARVED_MS)) ? 'worker at a tenth of a CPU' : null),
  starveTemporal: async () =>
    (await starveService(home, 'temporal', STARVED_MS)) ? 'Temporal at a tenth of a CPU' : null,
  freeze: async () => {
    const victim = pick(random, ['worker', 'temporal', 'postgres'] as const);
    return (await pauseService(home, victim, pick(random, FREEZES_MS))) ? `${victim} frozen` : null;
  },
  cancel: async (batchId) => {
    const playing = await runsIn(batchId, 'running');
    if (playing.length === 0) return null;
    const { exitCode } = await home.run('cancel', pick(random, playing));
    return exitCode === 0 ? 'run cancelled' : null;
  },
  terminate: async (batchId) => {
    const playing = await runsIn(batchId, 'running');
    const ids = [batchWorkflowId(batchId), shardWorkflowId(batchId, 0), ...playing.map(runWorkflowId)];
    return (await terminate(pick(random, ids))) ? 'workflow terminated' : null;
  },
};
/** Struck once, at half of the runs. */
const damageStore = (): void => truncateSync(servicePaths(home.dir).layout.temporalDb, 0);

async function runsIn(batchId: string, status: string): Promise<string[]> {
  const runs = await home.sql<{ run_id: string }>('select run_id from runs where batch_id = $1 and status = $2', [
    ...[batchId, status],
  ]);
  return runs.map(({ run_id: runId }) => runId);
}

/** False: Temporal is away, or the workflow over. */
async function terminate(workflowId: string): Promise<boolean> {
  try {
    const { workflow } = await bench.temporal();
    await workflow.getHandle(workflowId).terminate('by a test');
    return true;
  } catch {
    await bench.reconnect().catch(() => undefined);
    return false;
  }
}

it(
  `${RUNS} runs end by themselves, whatever is starved, frozen, cancelled, terminated or damaged (seed ${SEED})`,
  async () => {
    const perModel = String(RUNS / MODELS.length);
    const { batchId } = await home.json<{ batchId: string }>(
      ...['submit', '--models', MODELS.join(','), '--tasks', 'battleOfSexes', '--attempts', perModel],
      ...['--backend', 'local', '--concurrency', String(CONCURRENCY)],
    );
    const struck: Record<string, number> = {};
    let cancelled = 0;
    let damaged = false;
    for (;;) {
      const ended = (await runsIn(batchId, 'ended')).length;
      if (ended === RUNS) break;
      await sleep(500 + 3_000 * random());
      if (!damaged && ended >= RUNS / 2) {
        damageStore();
        damaged = true;
      }
      const what = await FAULTS[pick(random, Object.keys(FAULTS))]!(batchId);
      if (what === null) continue;
      struck[what] = (struck[what] ?? 0) + 1;
      if (what === 'run cancelled') cancelled += 1;
      console.info(`${ended} of ${RUNS} runs ended; ${what}`);
    }
    console.info(`faults: ${JSON.stringify(struck)}, the store damaged once (seed ${SEED})`);
    await expect.poll(() => batchStatus(batchId)).toBe('ended');
    expect(damaged).toBe(true);
    await checkRuns(batchId, cancelled);
  },
  LIMIT_MS,
);

async function batchStatus(batchId: string): Promise<string | undefined> {
  const [batch] = await home.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
  return batch?.status;
}

/** Cancelled ones excepted, each submitted; each command of a counter appended its line once. */
async function checkRuns(batchId: string, cancelled: number): Promise<void> {
  const runs = await home.sql<{ run_id: string; end_reason: string; lines: string[] | null; lost: boolean }>(
    `select r.run_id, r.end_reason, coalesce(bool_or(s.lost), false) as lost,
       array_agg(trim(s.observation) order by s.step)
         filter (where s.action like '%counter.txt%' and s.requested is null and s.exit_code = 0) as lines
     from runs r left join steps s using (run_id) where r.batch_id = $1 group by r.run_id`,
    [batchId],
  );
  const reasons = runs.map(({ end_reason: reason }) => reason);
  expect(reasons.filter((reason) => reason !== 'submit' && reason !== 'cancelled')).toEqual([]);
  expect(reasons.filter((reason) => reason === 'cancelled').length).toBeLessThanOrEqual(cancelled);
  for (const { run_id: runId, lines, lost } of runs)
    if (!lost) expect(lines?.map(Number) ?? [], runId).toEqual((lines ?? []).map((_, n) => n + 1));
}
