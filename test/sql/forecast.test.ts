import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import type { EndReason } from '../../domain/run/outcomes.js';
import type { ModelRef } from '../../domain/model/model.js';
import { modelConfigSchema } from '../../domain/model/config.js';
import { ORDER_RULES } from '../../domain/statistics/settle-order.js';
import { forecastBatch } from '../../operations/batches/forecast-batch.js';
import { evaluate, run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeEach(async () => {
  await db?.close();
  db = openDatabase(await server.createDatabase());
});
afterAll(() => db.close());

const NOW = new Date('2026-01-31T12:00:00Z');
const UNBOUNDED = { concurrency: 1, budgetUsd: null };

/** Its tokens cost a dollar per million read, and ten per million written. */
const priced: ModelRef = {
  name: 'dear',
  kind: 'real',
  provider: 'openai',
  model: 'dear-1',
  config: modelConfigSchema.parse({
    schema: 1,
    description: 'A dear one.',
    provider: 'openai',
    apiKeyVariable: 'DEAR_API_KEY',
    model: 'dear-1',
    contextWindow: 1000,
    maxOutputTokens: 100,
    prices: [{ from: '2024-01-01', input: '1', output: '10' }],
  }),
};

interface Past {
  count?: number;
  usd?: number;
  minutes?: number | null;
  endReason?: EndReason;
  origin?: 'bench' | 'mlgym';
  over?: Partial<SubmittedRun>;
}

/** Ended runs of a model at a task that used so much each: a million tokens in, 100,000 out. */
async function played(
  model: ModelRef,
  { count = 1, usd = 2, minutes = 10, endReason = 'submit', origin = 'bench', over = {} }: Past,
): Promise<void> {
  const batch = submission(null, (batchId) =>
    Array.from({ length: count }, (_, nth) => ({ ...run(batchId, task('t'), model.name, nth + 1), model, ...over })),
  );
  await db.intake.submit(batch);
  await db.pool.query(
    `update runs set status = 'ended', end_reason = $2, final_evaluation = 'ok', origin = $3, cost_usd = $4,
       input_tokens = 1000000, output_tokens = 100000,
       started_at = case when $5::float8 is not null then timestamptz '2026-01-01' end,
       ended_at = case when $5::float8 is not null then timestamptz '2026-01-01' + $5::float8 * interval '1 minute' end
     where batch_id = $1`,
    [batch.batch.batchId, endReason, origin, usd, minutes],
  );
}

const planned = (model: ModelRef, over: Partial<SubmittedRun> = {}): SubmittedRun[] =>
  submission(null, (batchId) =>
    [1, 2].map((attempt) => ({ ...run(batchId, task('t'), model.name, attempt), model, ...over })),
  ).runs;

const forecast = (
  runs: readonly SubmittedRun[],
  batch: { concurrency: number; budgetUsd: string | null } = UNBOUNDED,
) => forecastBatch(db.queries, runs, batch, NOW);

describe('a batch is forecast', () => {
  test('from ended runs of the same model, agent and task', async () => {
    await played(priced, { count: 100 });
    const { costUsd, tokens, hours, evidence } = await forecast(planned(priced));
    expect(evidence).toEqual([{ model: 'dear', agent: 'default', task: 't', runs: 2, from: 'runs', basedOnRuns: 100 }]);
    expect(costUsd.low).toBeGreaterThan(3);
    expect(costUsd.expected).toBeCloseTo(4, 0);
    expect(costUsd.high).toBeLessThan(5);
    expect(tokens.expected! / 2_200_000).toBeCloseTo(1, 0);
    expect(hours.expected).toBeCloseTo(20 / 60, 1);
  });

  test('with runs side by side in less time, and for no more than its budget', async () => {
    await played(priced, { count: 100 });
    const { costUsd, hours } = await forecast(planned(priced), { concurrency: 2, budgetUsd: '3' });
    expect(hours.expected).toBeCloseTo(10 / 60, 1);
    expect(costUsd).toEqual({ low: 3, expected: 3, high: 3 });
  });

  test('not from runs that were stopped from outside, of other data', async () => {
    for (const endReason of ['infra_error', 'cancelled', 'budget', 'config_error'] as const)
      await played(priced, { endReason });
    await played(priced, { over: { sample: true } });
    const { costUsd, evidence } = await forecast(planned(priced, { costLimitUsd: '0.1' }));
    expect(evidence).toMatchObject([{ from: 'limits', basedOnRuns: 0 }]);
    expect(costUsd).toEqual({ low: 0, expected: null, high: 0.2 });
  });

  test('from runs of another agent where its own has not played, and says so in a wider range', async () => {
    await played(priced, { count: 100, over: { agentName: 'other', agentHash: 'other' } });
    const { costUsd, evidence } = await forecast(planned(priced));
    expect(evidence).toMatchObject([{ from: 'other_agent', basedOnRuns: 100 }]);
    expect(costUsd.expected! / 4).toBeCloseTo(1, 0);
    expect(costUsd.high! / costUsd.low).toBeGreaterThan(4);
    await played(priced, { count: 50 });
    expect((await forecast(planned(priced))).evidence).toMatchObject([{ from: 'runs', basedOnRuns: 50 }]);
  });

  test('with `attempts: auto` for all looks, not the first alone', async () => {
    const scored = task('t', 'maximize', { target: { value: 10, kind: 'optimum' } });
    const models = ['one', 'two', 'three', 'four'].map((name) => ({ ...priced, name }));
    for (const model of models) await played(model, { count: 100 });
    const runs = models.flatMap((model) => planned(model, { task: scored }));
    const allocation = { ...ORDER_RULES, looks: 0, pairs: 0, settled: 0, state: 'playing' as const, detail: '' };
    const fixed = await forecast(runs);
    const { evidence, costUsd, hours } = await forecastBatch(db.queries, runs, { ...UNBOUNDED, allocation }, NOW);
    const expected = evidence.reduce((sum, one) => sum + one.runs, 0);
    // Two dollars and ten minutes each; 8 are the first.
    expect(expected).toBeGreaterThan(12);
    expect(costUsd.expected! / (2 * expected)).toBeCloseTo(1, 0);
    const more = [costUsd.expected! / fixed.costUsd.expected!, hours.expected! / fixed.hours.expected!];
    for (const times of more) expect(times).toBeGreaterThan(1.5);
    // Sixteen attempts of four models.
    expect(costUsd.high!).toBeLessThan(1.2 * 2 * 64);
  });

  test('from imported runs of the same task where the model has not played it, at its own prices', async () => {
    const other: ModelRef = { name: 'recorded', kind: 'real', provider: 'mlgym', model: 'recorded' };
    await played(other, { count: 100, usd: 0, minutes: null, origin: 'mlgym' });
    const { costUsd, hours, evidence } = await forecast(planned(priced));
    expect(evidence).toMatchObject([{ from: 'imported', basedOnRuns: 100 }]);
    // A million read, 100,000 written: 2 dollars a run.
    expect(costUsd.expected).toBeCloseTo(4, 0);
    expect(hours).toEqual({ low: 0, expected: null, high: null });
  });

  test('without a bound where a model has no price, no limit and no past', async () => {
    const { config, ...rest } = priced;
    const unpriced = { ...rest, config: { ...config!, prices: [] } };
    expect((await forecast(planned(unpriced))).costUsd).toEqual({ low: 0, expected: null, high: null });
  });
});

describe('the attempts that a difference needs', () => {
  const scored = task('g', 'maximize', { target: { value: 10, kind: 'optimum' } });

  const attemptsWith = async (scores: number[]) => {
    const batch = submission(null, (batchId) => scores.map((_, nth) => ({ ...run(batchId, scored, 'm', nth + 1) })));
    await db.intake.submit(batch);
    for (const [nth, { runId }] of batch.runs.entries()) {
      await evaluate(db, runId, 1, 'submit', scores[nth] ?? 0);
      await db.pool.query(
        `update runs set status = 'ended', end_reason = 'submit', final_evaluation = 'ok' where run_id = $1`,
        [runId],
      );
    }
    await db.pool.query(
      `insert into baselines (content_hash, value, standard_error) values ($1, 0, 0) on conflict (content_hash) do update set value = 0, standard_error = 0`,
      [batch.runs[0]!.taskHash],
    );
    return batch;
  };
  const asked = { models: ['m'], tasks: ['g'] };

  test('follow from the spread of gains among attempts of these models', async () => {
    const batch = await attemptsWith([2, 4, 6, 8]);
    const found = await db.queries.gainSpread(asked);
    // Only models that have played all the tasks have a mean.
    const means = { models: ['m', 'other'], agents: ['default'] };
    expect(await db.queries.meanGains({ ...means, tasks: ['g'] })).toEqual([
      { model: 'm', mean: expect.closeTo(0.5) as number, inverseAttempts: 0.25 },
    ]);
    expect(await db.queries.meanGains({ ...means, tasks: ['g', 'h'] })).toEqual([]);
    // Gains 0.2, 0.4, 0.6, 0.8.
    expect(found).toEqual({ spread: expect.closeTo(0.2582, 4) as number, attempts: 4, freedom: 3, own: true });
    expect(await db.queries.gainSpread({ ...asked, models: ['other'] })).toMatchObject({ attempts: 4, own: false });
    const { attempts } = await forecast(batch.runs);
    // Drawn to what is believed beforehand: (4·0.25² + 3·0.2582²) / 7.
    expect(attempts?.needed.map(({ attempts: count }) => count)).toEqual([404, 101, 26]);
  });

  test('are more than one, though the few that were seen are alike', async () => {
    await attemptsWith([5, 5, 5, 5]);
    expect(await db.queries.gainSpread(asked)).toMatchObject({ spread: 0, freedom: 3 });
    const alike = submission(null, (batchId) => [{ ...run(batchId, scored, 'm', 1) }]);
    const { attempts } = await forecast(alike.runs);
    expect(attempts?.needed.map(({ attempts: count }) => count)).toEqual([225, 57, 15]);
  });

  test('are unknown where nobody played twice', async () => {
    expect((await forecast(planned(priced))).attempts).toBeNull();
  });
});

test('what was forecast is kept with the batch', async () => {
  const range = { low: 1, expected: 2, high: null };
  const batch = submission(null, (batchId) => [run(batchId, task('t'), 'm', 1)]);
  const kept = { costUsd: range, tokens: range, hours: range };
  await db.intake.submit({ ...batch, batch: { ...batch.batch, forecast: kept } });
  expect((await db.queries.batchStatus(batch.batch.batchId)).forecast).toEqual(kept);
});
