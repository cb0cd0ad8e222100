import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveModels } from '../../catalog/index.js';
import {
  playPolicy,
  startProviderSimulator,
  type Behaviour,
  type ProviderSimulator,
  type SimulatedPrice,
} from '../fakes/provider-simulator/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { killServiceOnceItRuns } from './kill-service.js';

const CANARY = 'sk-canary-4f1d0c7e9a';
const MODELS = ['gpt-4o', 'claude'];
const ATTEMPTS = 30;
const STEPS = 3;

let simulator: ProviderSimulator;
let home: BenchHome;

/** Faults by the number of the request, so that every run of this test meets the same ones. */
const faulty: Behaviour = (request) => {
  const { number } = request;
  if (number % 19 === 0) return { kind: 'rate_limit', retryAfter: '1' };
  if (number % 23 === 0) return { kind: 'server_error', status: 500 };
  if (number % 29 === 0) return { kind: 'cut_in_body' };
  if (number % 31 === 0) return { kind: 'overloaded' };
  if (number % 37 === 0) return { kind: 'cut' };
  return playPolicy(`counter:${STEPS}`)(request);
};

/** The simulator bills what the model files say. */
function pricesOfConfigs(): (model: string) => SimulatedPrice {
  const configs = resolveModels([join(import.meta.dirname, '../../configs')], MODELS).map((ref) => ref.config!);
  return (model) => {
    const rates = configs.find((config) => config.model === model)!.prices.at(-1)!;
    const of = (rate: string | undefined) => Number(rate ?? rates.input);
    return {
      input: of(rates.input),
      cachedInput: of(rates.cachedInput),
      cacheWrite: of(rates.cacheWrite),
      output: of(rates.output),
    };
  };
}

beforeAll(async () => {
  simulator = await startProviderSimulator({ behaviour: faulty, priceOf: pricesOfConfigs(), keys: [CANARY] });
  home = new BenchHome({
    OPENAI_API_KEY: CANARY,
    ANTHROPIC_API_KEY: CANARY,
    OPENAI_BASE_URL: simulator.openAiBaseUrl,
    ANTHROPIC_BASE_URL: simulator.anthropicBaseUrl,
  });
});
afterAll(async () => {
  await home.remove();
  await simulator.close();
});

it('the confirmed ledger is the provider’s bill, to the last digit, over 60 runs with faults and two worker kills', async () => {
  const { batchId, runs } = await home.json<{ batchId: string; runs: unknown[] }>(
    ...['submit', '--models', MODELS.join(','), '--tasks', 'battleOfSexes', '--attempts', String(ATTEMPTS)],
    ...['--backend', 'local', '--concurrency', '8'],
  );
  expect(runs).toHaveLength(60);
  for (const answered of [60, 140]) {
    await until(() => simulator.bill.entries.length >= answered);
    await killServiceOnceItRuns(home, 'worker');
  }
  const ended = () => home.sql("select from batches where batch_id = $1 and status = 'ended'", [batchId]);
  await until(async () => (await ended()).length === 1, 1_000);

  const ends = await home.sql<{ end_reason: string; count: string }>(
    'select end_reason, count(*) from runs where batch_id = $1 group by 1',
    [batchId],
  );
  expect(ends).toEqual([{ end_reason: 'submit', count: '60' }]);

  const calls = await home.sql<{ call: string; status: string; cost: string | null; reserved: string }>(
    `select c.run_id || '/' || c.step || '/' || c.try || '/' || c.attempt as call, c.status,
       trim_scale(c.cost_usd)::text as cost, trim_scale(c.reserved_usd)::text as reserved
     from model_calls c join runs r using (run_id) where r.batch_id = $1`,
    [batchId],
  );
  const byId = new Map(calls.map((call) => [call.call, call]));
  const confirmed = calls.filter((call) => call.status === 'confirmed');
  expect(confirmed).toHaveLength(60 * (STEPS + 1));

  // Call by call, and in sum.
  const billed = new Map(simulator.bill.entries.map((entry) => [entry.callId, entry.costUsd]));
  for (const call of confirmed) expect(billed.get(call.call), call.call).toBe(call.cost);
  const [ledger] = await home.sql<{ total: string }>(
    'select trim_scale(sum(cost_usd))::text as total from runs where batch_id = $1',
    [batchId],
  );
  const isConfirmed = (callId: string | null) => byId.get(callId ?? '')?.status === 'confirmed';
  expect(ledger?.total).toBe(simulator.bill.total((entry) => isConfirmed(entry.callId)));

  // All else on the bill was lost on the way: unconfirmed, never above its reservation.
  const lost = simulator.bill.entries.filter((entry) => !isConfirmed(entry.callId));
  expect(lost.length).toBeGreaterThan(0);
  for (const entry of lost) {
    const call = byId.get(entry.callId ?? '');
    expect(call?.status, entry.callId ?? '').toBe('unconfirmed');
    expect(Number(call?.reserved)).toBeGreaterThanOrEqual(Number(entry.costUsd));
  }
}, 1_200_000);

it('the key is in no log, no history, no row and no answer of the command line', async () => {
  // Stopped, so that all is written, and no file goes away while they are read.
  expect((await home.run('down')).exitCode).toBe(0);
  const files = readdirSync(home.dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    // Postgres' files, the logs and Temporal's histories all lie under the home.
    const bytes = readFileSync(join(file.parentPath, file.name));
    expect(bytes.includes(CANARY), join(file.parentPath, file.name)).toBe(false);
  }
  for (const args of [
    ['status', '--json'],
    ['doctor', '--json'],
    ['models', '--json'],
    ['events', '--json'],
  ]) {
    const { stdout, stderr } = await home.run(...args);
    expect(stdout + stderr).not.toContain(CANARY);
  }
});

async function until(condition: () => boolean | Promise<boolean>, pauseMs = 100): Promise<void> {
  const deadline = Date.now() + 900_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition was not met in 900 s');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
