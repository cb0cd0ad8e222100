import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { batchOutcome, counterReadings, repeatedCalls, type RunOutcome } from './batch-outcome.js';
import { killService, type Victim } from './kill-service.js';

// The moments of the kills come from this seed; BENCH_CHAOS_SEED tries others.
const SEED = Number(process.env['BENCH_CHAOS_SEED'] ?? 20);
const COUNTER_STEPS = 15;
const MODELS = `scripted:counter:${COUNTER_STEPS},scripted:optimum,scripted:clumsy`;

let home: BenchHome;
let undisturbed: RunOutcome[];

const submitted = ['submit', '--models', MODELS, '--tasks', 'battleOfSexes', '--attempts', '2', '--seed', '7'];
const submit = async (...options: string[]): Promise<string> =>
  (await home.json<{ batchId: string }>(...submitted, '--concurrency', '6', '--backend', 'docker', ...options)).batchId;

beforeAll(async () => {
  home = new BenchHome();
  const batchId = await submit('--wait');
  undisturbed = await batchOutcome(home, batchId);
});
afterAll(() => home.remove());

it('ends well when nothing is disturbed', () => {
  expect(undisturbed).toHaveLength(6);
  expect(undisturbed.map((run) => run.end_reason)).toEqual(Array(6).fill('submit'));
  expect(undisturbed.map((run) => run.final_evaluation)).toEqual(Array(6).fill('ok'));
});

describe.each<{ name: string; victims: Victim[] }>([
  { name: 'the worker', victims: ['worker'] },
  { name: 'the Temporal server', victims: ['temporal'] },
  { name: 'Postgres', victims: ['postgres'] },
  { name: 'all three at once', victims: ['worker', 'temporal', 'postgres'] },
])('kill -9 of $name at random moments', ({ victims }) => {
  it('leaves the batch as if nothing had happened', async () => {
    const random = generator(SEED + victims.length * 7 + (victims[0]?.length ?? 0));
    const batchId = await submit();
    let kills = 0;
    while (kills < 3 && !(await hasEnded(batchId))) {
      await sleep(500 + random() * 3_500);
      const hit = victims.map((victim) => killService(home, victim));
      if (hit.includes(true)) kills += 1;
    }
    expect(kills).toBeGreaterThan(0);
    await untilEnded(batchId);

    expect(await batchOutcome(home, batchId)).toEqual(undisturbed);
    const readings = await counterReadings(home, batchId);
    expect(readings).toEqual(Array(2).fill(Array.from({ length: COUNTER_STEPS }, (_, i) => i + 1)));
    expect(await repeatedCalls(home, batchId)).toEqual([]);
  }, 300_000);
});

it('a 60-second command goes on under the same process when the worker is killed, its output byte-complete', async () => {
  const { batchId } = await home.json<{ batchId: string }>(
    ...['submit', '--models', 'scripted:slow:60', '--tasks', 'battleOfSexes', '--attempts', '1', '--max-steps', '1'],
    ...['--backend', 'docker'],
  );
  const running = () => home.sql('select 1 from steps s join runs r using (run_id) where r.batch_id = $1', [batchId]);
  while ((await running()).length === 0) await sleep(200);
  for (const pause of [5_000, 20_000]) {
    await sleep(pause);
    expect(killService(home, 'worker')).toBe(true);
  }
  await untilEnded(batchId);

  const [step] = await home.sql<{ observation: string; exit_code: number }>(
    'select s.observation, s.exit_code from steps s join runs r using (run_id) where r.batch_id = $1',
    [batchId],
  );
  const lines = (step?.observation ?? '').trimEnd().split('\n');
  const process = /in process (\d+)$/.exec(lines[0] ?? '')?.[1];
  expect(process).toBeDefined();
  expect(lines).toEqual(Array.from({ length: 60 }, (_, i) => `tick ${i + 1} of 60 in process ${process}`));
  expect(step?.exit_code).toBe(0);
}, 300_000);

const hasEnded = async (batchId: string): Promise<boolean> => {
  const [batch] = await home.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
  return batch?.status === 'ended';
};

async function untilEnded(batchId: string): Promise<void> {
  for (let i = 0; i < 240; i++) {
    if (await hasEnded(batchId)) return;
    await sleep(1_000);
  }
  throw new Error(`batch ${batchId} did not end within 4 minutes\n${(await home.run('status', batchId)).stdout}`);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Uniform in [0, 1): the minimal standard generator, so that a failing seed can be run again. */
function generator(seed: number): () => number {
  let state = seed + 1;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}
