import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { LeaderboardOptions } from '../../domain/views/leaderboard.js';
import { evaluate, run, submission, task } from '../fixtures/rows.js';
import { pick, seededRandom } from '../setup/random.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(async () => {
  await db.close();
});

const accuracy = task('g-acc', 'maximize', { baseline: { value: 0.5, standardError: 0.01 }, target: { value: 0.9 } });
const loss = task('g-loss', 'minimize', { baseline: { value: 10, standardError: 0 }, target: { value: 2 } });
const free = task('g-free', 'maximize', { baseline: { value: 1, standardError: 0 } });

/** Attempts of models at tasks, each with its scores in order; the last one is submitted. */
type Plan = { model: string; task: ReturnType<typeof task>; attempts: number[][]; hash?: string }[];

async function play(plan: Plan, contracts: Partial<ReturnType<typeof run>> = {}): Promise<string> {
  const flat = plan.flatMap((one) => one.attempts.map((scores, i) => ({ ...one, scores, attempt: i + 1 })));
  const batch = submission(null, (batchId) =>
    flat.map((one) => ({
      ...run(batchId, one.task, one.model, one.attempt),
      model: { name: one.model, kind: 'real' as const, provider: 'openai', model: one.model },
      ...contracts,
    })),
  );
  await db.intake.submit(batch);
  for (const [i, { scores }] of flat.entries()) {
    const { runId } = batch.runs[i]!;
    for (const [j, score] of scores.entries())
      await evaluate(db, runId, j + 1, j === scores.length - 1 ? 'submit' : 'validate', score);
    // A real model that was never called is flagged.
    await db.pool.query('update runs set input_tokens = 1 where run_id = $1', [runId]);
    await db.store.finishRun(runId, {
      endReason: scores.length > 0 ? 'submit' : 'max_steps',
      finalEvaluation: scores.length > 0 ? 'ok' : 'no_artefact',
      detail: null,
    });
  }
  return batch.batch.batchId;
}

const board = (asked: LeaderboardOptions) => db.queries.leaderboard(asked);
const plan: Plan = [
  { model: 'A', task: accuracy, attempts: [[0.7, 0.6], []] },
  { model: 'B', task: accuracy, attempts: [[0.52], [0.95]] },
  { model: 'A', task: loss, attempts: [[6]] },
  { model: 'B', task: loss, attempts: [[11]] },
  { model: 'A', task: free, attempts: [[3]] },
  { model: 'B', task: free, attempts: [[2]] },
];

test('gains, chances and curves, worked out by hand; a task without a target has chances alone', async () => {
  const found = await board({ batchId: await play(plan) });
  const [a, b] = ['A', 'B'].map((model) => found.rows.find((row) => row.model === model)!);
  // accuracy: A 0.5 and 0, B 0 (within two standard errors) and 1; loss: A 0.5, B 0.
  expect(a!.scores['g-acc']?.bestGain).toBeCloseTo(0.25, 12);
  expect(a!.scores['g-acc']?.lastGain).toBeCloseTo(0.125, 12);
  expect(b!.scores['g-acc']?.bestGain).toBe(0.5);
  expect([a, b].map((row) => row!.scores['g-loss']?.bestGain)).toEqual([0.5, 0]);
  expect(a!.scores['g-free']?.bestGain).toBeNull();
  expect(a!.gain?.best).toBeCloseTo((0.25 + 0.5) / 2, 12);
  expect(b!.gain?.best).toBeCloseTo((0.5 + 0) / 2, 12);
  // accuracy: of four pairs A wins one and ties one; A wins the others.
  expect(a!.winRate?.best).toBeCloseTo((1.5 / 4 + 1 + 1) / 3, 12);
  expect(b!.winRate?.best).toBeCloseTo(1 - (1.5 / 4 + 1 + 1) / 3, 12);
  // With one attempt at the loss no more than one can be told.
  expect(a!.curve?.best).toHaveLength(1);
  expect(a!.curve?.best[0]).toMatchObject({ k: 1, improved: 0.75 });
  expect(a!.curve?.best[0]?.gain).toBeCloseTo(0.375, 12);
  expect(found.rows.map(({ model, rank }) => [model, rank])).toEqual([
    ['A', 1],
    ['B', 2],
  ]);
  expect(found.comparison).toMatchObject({ order: 'win-rate', separation: null, priceList: null });
  expect(found.tasks.map(({ task: id, standardError, target }) => [id, standardError, target])).toEqual([
    ['g-acc', 0.01, 0.9],
    ['g-free', 0, null],
    ['g-loss', 0, 2],
  ]);
});

describe('what orders the rows', () => {
  test('is also what P(best), pairs and groups are about', async () => {
    const random = seededRandom(3);
    const batchId = await play(
      ['A', 'B', 'C'].flatMap((model, m) =>
        [accuracy, loss, free].map((of) => ({
          ...{ model, task: of },
          attempts: Array.from({ length: 3 }, () => {
            const luck = random();
            return [of === accuracy ? 0.5 + 0.1 * m + 0.1 * luck : of === loss ? 9 - 2 * m - luck : 1 + m + luck];
          }),
        })),
      ),
    );
    for (const mode of ['strict', 'compat'] as const) {
      const { rows, comparison } = await board({ batchId, mode, intervals: true });
      expect(comparison.order).toBe(mode === 'strict' ? 'win-rate' : 'rank');
      // C is ahead in every respect, in every resample.
      expect(rows.map(({ model }) => model)).toEqual(['C', 'B', 'A']);
      const [first] = rows;
      expect(first?.rank).toBe(1);
      expect(first?.intervals?.pBest?.best, mode).toBeCloseTo(1, 9);
      expect(comparison.separation, mode).toEqual({ pairs: 3, resolved: 3 });
      expect(rows.map(({ intervals }) => intervals?.group)).toEqual(['a', 'b', 'c']);
      const { low, high } = first!.intervals!.bestGain!;
      expect(low <= first!.gain!.best! && first!.gain!.best! <= high).toBe(true);
    }
  });

  test('is the chance of winning, in compat mode the average rank as MLGym-Bench has it', async () => {
    const batchId = await play(plan);
    expect((await board({ batchId })).comparison.order).toBe('win-rate');
    expect((await board({ batchId, mode: 'compat' })).comparison.order).toBe('rank');
  });

  test('uses the targets and standard errors that a saved comparison keeps', async () => {
    const batchId = await play(plan);
    const { tasks } = await board({ batchId });
    const of = <T>(value: (one: (typeof tasks)[number]) => T) =>
      Object.fromEntries(tasks.map((one) => [one.task, value(one)]));
    await db.comparisons.save('kept', {
      ...{ models: ['A', 'B'], tasks: tasks.map(({ task: id }) => id), batchId, axis: 1 },
      contracts: of(({ contract }) => contract),
      baselines: of(({ baseline }) => baseline),
      standardErrors: of(() => 0),
      targets: of(({ target }) => (target === 0.9 ? 1 : target)),
    });
    const kept = await board({ view: 'kept' });
    // With its own target and standard errors: (0.95 - 0.5) / (1 - 0.5), and 0.02 of it.
    expect(kept.rows.find(({ model }) => model === 'B')?.scores['g-acc']?.bestGain).toBeCloseTo((0.9 + 0.04) / 2, 12);
  });
});

test('leaderboard_gains() in SQL is what the board has, on random attempts', async () => {
  const random = seededRandom(5);
  const models = ['A', 'B', 'C', 'D'];
  const score = () => pick(random, [-3, 0.4, 0.5, 0.51, 0.52, 0.7, 0.9, 1.5, 2, 5, 9.99, 10, 12]);
  const batchId = await play(
    models.flatMap((model) =>
      [accuracy, loss, free].flatMap((of) =>
        // Some models are not submitted for some tasks.
        random() < 0.2
          ? []
          : [
              {
                model,
                task: of,
                attempts: Array.from({ length: 1 + Math.floor(3 * random()) }, () =>
                  random() < 0.2 ? [] : [score(), score()],
                ),
              },
            ],
      ),
    ),
  );
  const { rows } = await board({ batchId });
  const { rows: found } = await db.pool.query<{
    model: string;
    task: string;
    best_gain: number | null;
    last_gain: number | null;
  }>('select model, task, best_gain, last_gain from leaderboard_gains($1)', [batchId]);
  expect(found).toHaveLength(rows.length * 3);
  const near = (a: number | null | undefined, b: number | null) =>
    b === null ? expect(a).toBeNull() : expect(a).toBeCloseTo(b, 12);
  for (const one of found) {
    const cell = rows.find(({ model }) => model === one.model)!.scores[one.task];
    near(cell?.bestGain, one.best_gain);
    near(cell?.lastGain, one.last_gain);
  }
  const { rows: means } = await db.pool.query<{ model: string; best: number; last: number }>(
    'select model, avg(best_gain) as best, avg(last_gain) as last from leaderboard_gains($1) group by 1',
    [batchId],
  );
  for (const { model, best, last } of means) {
    const row = rows.find((other) => other.model === model);
    near(row?.gain?.best, best);
    near(row?.gain?.last, last);
  }
});

test('a measured baseline gets its standard error from the runs that repeat it, and keeps its first value', async () => {
  const unknown = task('g-unknown', 'maximize', { target: { value: 9 } });
  const known = async () =>
    (
      await db.pool.query('select value, standard_error, runs from baselines where content_hash = $1', [
        'hash-of-g-unknown-1',
      ])
    ).rows[0] as unknown;
  const model = { name: 'scripted:baseline', kind: 'scripted' as const, provider: 'scripted', model: 'baseline' };
  await play([{ model: 'baseline', task: unknown, attempts: [[4]] }], { model });
  expect(await known()).toEqual({ value: 4, standard_error: 0, runs: 1 });
  await play([{ model: 'baseline', task: unknown, attempts: [[5], [3]] }], { model });
  expect(await known()).toEqual({ value: 4, standard_error: 1, runs: 3 });
  // Within two of those of the baseline.
  const batchId = await play([
    { model: 'A', task: unknown, attempts: [[5.9]] },
    { model: 'B', task: unknown, attempts: [[6.5]] },
  ]);
  const { rows } = await board({ batchId });
  expect(rows.map(({ gain }) => gain?.best)).toEqual([0.5, 0]);
});
