import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveModels } from '../../catalog/index.js';
import {
  playPolicy,
  startProviderSimulator,
  type Behaviour,
  type ProviderSimulator,
} from '../fakes/provider-simulator/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { seededRandom } from '../setup/random.js';
import { killService } from './kill-service.js';
import { LONG } from '../setup/long.js';

// In its long form as many runs and workers as a batch on three machines has in flight.
const RUNS = LONG ? 64 : 8;
const FURTHER_WORKERS = LONG ? 2 : 1;
const BUDGET = LONG ? 3 : 0.2;
const MORE = LONG ? 4 : 0.26;
const KILLS = LONG ? 9 : 2;
const LIMIT_MS = LONG ? 1_200_000 : 900_000;

const random = seededRandom(Number(process.env['BENCH_CHAOS_SEED'] ?? 20));
const play = playPolicy('counter:40');
/** Slow enough that a kill finds calls in flight. */
const unhurried: Behaviour = async (request) => {
  await sleep(100 + 500 * random());
  if (random() < 0.04) return { kind: 'cut_in_body' };
  if (random() < 0.04) return { kind: 'server_error' };
  return play(request);
};

let simulator: ProviderSimulator;
let home: BenchHome;
const workers: ReturnType<BenchHome['start']>[] = [];

beforeAll(async () => {
  const [model] = resolveModels([join(import.meta.dirname, '../../configs')], ['gpt-4o']);
  const rates = model!.config!.prices.at(-1)!;
  const of = (rate: string | undefined) => Number(rate ?? rates.input);
  simulator = await startProviderSimulator({
    behaviour: unhurried,
    priceOf: () => ({
      input: of(rates.input),
      cachedInput: of(rates.cachedInput),
      cacheWrite: of(rates.cacheWrite),
      output: of(rates.output),
    }),
  });
  home = new BenchHome({ OPENAI_API_KEY: 'sk-budget', OPENAI_BASE_URL: simulator.openAiBaseUrl });
});
afterAll(async () => {
  // Passed on to the workers below them, which would live on.
  for (const worker of workers) worker.kill('SIGTERM');
  await Promise.all(workers);
  await home.remove();
  await simulator.close();
});

interface Batch {
  status: string;
  byStatus: Record<string, number>;
  chargedUsd: string;
}

it(
  `${RUNS} runs on ${1 + FURTHER_WORKERS} workers never cost more than their batch may, whoever is killed in the middle of a call`,
  async () => {
    const billed = () => Number(simulator.bill.total(() => true));
    const { batchId } = await home.json<{ batchId: string }>(
      ...['submit', '--models', 'gpt-4o', '--tasks', 'battleOfSexes', '--attempts', String(RUNS), '--backend', 'local'],
      ...[
        '--concurrency',
        String(RUNS),
        '--budget',
        String(BUDGET),
        '--max-output-tokens',
        '200',
        '--snapshot-every',
        '0',
      ],
    );
    const further = (n: number) => home.start('worker', '--host', `caller-${n}`, '--roles', 'models');
    for (let n = 1; n <= FURTHER_WORKERS; n++) workers.push(further(n));

    for (let kills = 0; kills < KILLS; kills++) {
      const before = simulator.requests.length;
      await until(async () => simulator.requests.length > before + 4 || (await isOver(batchId)));
      if (await isOver(batchId)) break;
      const n = kills % (1 + FURTHER_WORKERS);
      if (n === 0) killService(home, 'worker');
      else {
        await killChild(workers[n - 1]?.pid);
        workers[n - 1] = further(n);
      }
      expect(billed()).toBeLessThanOrEqual(BUDGET);
    }
    await until(() => isOver(batchId));
    expect(billed()).toBeLessThanOrEqual(BUDGET);
    // A lost call costs its reservation, so the bill may be less; no run stopped with room left.
    expect(await chargedOf(batchId, BUDGET)).toBeGreaterThan(BUDGET * 0.7);
    const ends = await home.sql<{ end_reason: string; runs: number }>(
      'select end_reason, count(*)::int as runs from runs where batch_id = $1 group by 1',
      [batchId],
    );
    expect(ends).toEqual([{ end_reason: 'budget', runs: RUNS }]);

    await home.json('resume', batchId, '--budget', String(MORE));
    await until(() => isOver(batchId));
    expect(billed()).toBeLessThanOrEqual(MORE);
    expect(await chargedOf(batchId, MORE)).toBeGreaterThan(BUDGET);
    // What met the end of this budget is not continued by it once more.
    expect(await home.json('resume', batchId, '--budget', String(MORE))).toEqual({ resumed: [] });
  },
  LIMIT_MS,
);

/** The worker is a child of the command line's process, which ends with it. */
async function killChild(parent: number | undefined): Promise<void> {
  // It may not have started it yet.
  await until(() => spawnSync('pkill', ['-KILL', '-P', String(parent)]).status === 0);
}

async function isOver(batchId: string): Promise<boolean> {
  const [batch] = await home.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
  return batch?.status === 'ended';
}

/** The batch's charge: answers at their price, lost calls at their reservation. */
async function chargedOf(batchId: string, budget: number): Promise<number> {
  const batch = await home.json<Batch>('status', batchId);
  const [calls] = await home.sql<{ charged: string; open: number }>(
    `select trim_scale(sum(case c.status when 'confirmed' then c.cost_usd when 'unconfirmed' then c.reserved_usd else 0 end))::text as charged,
       count(*) filter (where c.status = 'reserved')::int as open
     from model_calls c join runs r using (run_id) where r.batch_id = $1`,
    [batchId],
  );
  expect(Number(batch.chargedUsd)).toBeLessThanOrEqual(budget);
  expect(calls?.open).toBe(0);
  expect(batch.chargedUsd).toBe(calls?.charged);
  return Number(batch.chargedUsd);
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + (LONG ? 900_000 : 800_000);
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not met in time\n${(await home.run('status')).stdout}`);
    await sleep(200);
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
