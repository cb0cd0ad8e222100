import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectEngine, probeEngine } from '../../backends/docker/engine.js';
import { engineAddress, type EngineAddress, type EngineBackend } from '../../backends/docker/engine-address.js';
import { processesWith } from '../engine/evaluation-job.js';
import { BenchHome } from '../setup/bench-home.js';
import { testPodman } from '../setup/podman-engine.js';
import { seededRandom } from '../setup/random.js';
import { batchOutcome, counterReadings, repeatedCalls, scoresApart, type RunOutcome } from './batch-outcome.js';
import { killContainer, killService, killServiceOnceItRuns, type Victim } from './kill-service.js';
import { LONG } from '../setup/long.js';
import { notTested } from '../setup/not-tested.js';

// The moments of the kills come from this seed; BENCH_CHAOS_SEED tries others.
const SEED = Number(process.env['BENCH_CHAOS_SEED'] ?? 20);
const LONG_SECONDS = LONG ? 60 : 14;
const ATTEMPTS = LONG ? 2 : 1;
const COUNTER_STEPS = 15;
/** Long enough to be met by three runs at the same time, and told apart from all others. */
const NAP = `sleep 30.${process.pid}`;
const MODELS = `scripted:counter:${COUNTER_STEPS},scripted:optimum,scripted:clumsy`;

type Container = ReturnType<ReturnType<typeof connectEngine>['getContainer']>;

const COUNTS = Array.from({ length: COUNTER_STEPS }, (_, i) => i + 1);

const podmanAt = testPodman();
const podman = await probeEngine(podmanAt);
if (podman.kind !== 'ok') notTested('podman', podman.reason);

const ALL: Victim[] = ['worker', 'temporal', 'postgres'];
const NAMES: Record<Victim, string> = { worker: 'the worker', temporal: 'the Temporal server', postgres: 'Postgres' };

interface Engine {
  backend: EngineBackend;
  address: EngineAddress;
  /** What is killed at the first moment, at the second, and again from the beginning. */
  crashes: { name: string; rounds: Victim[][]; kills: number }[];
}
const engines: Engine[] = [
  {
    backend: 'docker',
    address: engineAddress('docker', process.env),
    crashes: [
      // Singly they die in the storm too.
      ...(LONG ? ALL.map((victim) => ({ name: NAMES[victim], rounds: [[victim]], kills: 3 })) : []),
      { name: 'all three at once', rounds: [ALL], kills: LONG ? 3 : 2 },
    ],
  },
];
// In the long suite: what differs on podman, finding containers again, is the engine project's too.
if (LONG && podman.kind === 'ok')
  engines.push({
    backend: 'podman',
    address: podmanAt,
    // Services know nothing of engines: what differs is how a worker finds its containers again.
    crashes: [{ name: 'all three at once', rounds: [ALL], kills: 1 }],
  });

let home: BenchHome;
/** The same on every engine: taken on the first. */
let undisturbed: { batchId: string; outcome: RunOutcome[] };

beforeAll(() => {
  home = new BenchHome({ BENCH_PODMAN_HOST: podmanAt.url });
});
afterAll(() => home.remove());

describe.each(engines)('on $backend', ({ backend, address, crashes }) => {
  const submit = async (models: string, attempts: number, ...options: string[]): Promise<string> => {
    const matrix = ['--models', models, '--tasks', 'battleOfSexes', '--attempts', String(attempts), '--seed', '7'];
    const { batchId } = await home.json<{ batchId: string }>(
      ...['submit', ...matrix, '--concurrency', '6', '--backend', backend, ...options],
    );
    return batchId;
  };

  it.runIf(backend === 'docker')('ends well when nothing is disturbed', async () => {
    const batchId = await submit(MODELS, ATTEMPTS, '--wait');
    const outcome = await batchOutcome(home, batchId);
    expect(outcome.map((run) => run.end_reason)).toEqual(Array(3 * ATTEMPTS).fill('submit'));
    expect(outcome.map((run) => run.final_evaluation)).toEqual(Array(3 * ATTEMPTS).fill('ok'));
    undisturbed = { batchId, outcome };
  });

  describe.each(crashes)('kill -9 of $name at random moments', ({ rounds, kills: wanted }) => {
    it('leaves the batch as if nothing had happened', async () => {
      const [first = []] = rounds;
      const random = seededRandom(SEED + first.length * 7 + (first[0]?.length ?? 0));
      const batchId = await submit(MODELS, ATTEMPTS);
      let kills = 0;
      while (kills < wanted && !(await hasEnded(batchId))) {
        await sleep(500 + random() * 3_500);
        const hit = (rounds[kills % rounds.length] ?? []).map((victim) => killService(home, victim));
        if (hit.includes(true)) kills += 1;
      }
      expect(kills).toBeGreaterThan(0);
      await untilEnded(batchId);

      expect(await batchOutcome(home, batchId)).toEqual(undisturbed.outcome);
      expect(await scoresApart(home, batchId, undisturbed.batchId)).toEqual([]);
      expect(await counterReadings(home, batchId)).toEqual(Array(ATTEMPTS).fill(COUNTS));
      expect(await repeatedCalls(home, batchId)).toEqual([]);
    }, 1_200_000);
  });

  // Without it, home/snapshots.test.ts removes a container.
  it.runIf(LONG)(
    'containers that are killed, stopped and removed in the midst of a command cost that command at most',
    async () => {
      const file = join(home.dir, 'nap.json');
      const steps = [NAP, 'echo 2', 'echo 3'].map((action, i) => ({
        ...{ step: i + 1, response: action, thought: 'So.', action, observation: '' },
      }));
      writeFileSync(file, JSON.stringify({ steps }));
      const batchId = await submit(`replay:${file}`, 3);
      const docker = connectEngine(address);
      // By their processes: a row of the step is there before its command is.
      await vi.waitFor(async () => expect(await processesWith(NAP.replace(' ', '\0'))).toHaveLength(3), {
        timeout: 300_000,
        interval: 100,
      });
      const rows = await home.sql<{ run_id: string }>('select run_id from runs where batch_id = $1 order by ordinal', [
        batchId,
      ]);
      const runs = rows.map((run) => run.run_id);
      const ends = [killContainer, stopped, removed];
      await Promise.all(
        runs.map(async (runId, i) => {
          const [found] = await docker.listContainers({ filters: { label: [`bench.run=${runId}`] } });
          await ends[i]?.(docker.getContainer(found?.Id ?? ''));
        }),
      );
      await untilEnded(batchId);

      const outcome = await batchOutcome(home, batchId);
      expect(outcome.map((run) => [run.end_reason, run.final_evaluation])).toEqual(Array(3).fill(['submit', 'ok']));
      for (const { commands } of outcome) expect(commands).toHaveLength(4);
      const lost = outcome.map(({ commands }) => commands.filter((command) => command.lost).length);
      expect(lost.slice(0, 2)).toEqual([1, 1]);
      const events = await home.sql<{ run_id: string }>(
        "select e.run_id from events e join runs r using (run_id) where r.batch_id = $1 and e.kind = 'sandbox_lost'",
        [batchId],
      );
      expect(events).toEqual([{ run_id: runs[2] }]);
    },
    1_200_000,
  );

  it.runIf(backend === 'docker')(
    'a long command goes on under the same process when the worker is killed, its output byte-complete',
    async () => {
      const batchId = await submit(`scripted:slow:${LONG_SECONDS}`, 1, '--max-steps', '1');
      const running = () =>
        home.sql('select 1 from steps s join runs r using (run_id) where r.batch_id = $1', [batchId]);
      while ((await running()).length === 0) await sleep(200);
      for (const pause of LONG ? [5_000, 20_000] : [2_000, 4_000]) {
        await sleep(pause);
        await killServiceOnceItRuns(home, 'worker');
      }
      await untilEnded(batchId);

      const [step] = await home.sql<{ observation: string; exit_code: number }>(
        'select s.observation, s.exit_code from steps s join runs r using (run_id) where r.batch_id = $1',
        [batchId],
      );
      const lines = (step?.observation ?? '').trimEnd().split('\n');
      const process = /in process (\d+)$/.exec(lines[0] ?? '')?.[1];
      expect(process).toBeDefined();
      expect(lines).toEqual(
        Array.from({ length: LONG_SECONDS }, (_, i) => `tick ${i + 1} of ${LONG_SECONDS} in process ${process}`),
      );
      expect(step?.exit_code).toBe(0);
    },
    1_200_000,
  );
});

/** Podman 4 complains about a restart before its cleanup; the container was stopped anyway. */
const stopped = (container: Container): Promise<void> =>
  container.stop({ t: 0 }).catch((error: unknown) => {
    if (!String(error).includes('refusing to clean up')) throw error;
  });

/** Podman 4 at times refuses to remove what has just been running. */
const removed = (container: Container): Promise<void> =>
  vi.waitFor(() => container.remove({ force: true, v: true }), { timeout: 180_000, interval: 200 });

const hasEnded = async (batchId: string): Promise<boolean> => {
  const [batch] = await home.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
  return batch?.status === 'ended';
};

async function untilEnded(batchId: string): Promise<void> {
  const deadline = Date.now() + 1_000_000;
  while (Date.now() < deadline) {
    if (await hasEnded(batchId)) return;
    await sleep(500);
  }
  throw new Error(`batch ${batchId} did not end within 1000 s\n${(await home.run('status', batchId)).stdout}`);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
