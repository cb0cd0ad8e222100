import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { forkOf } from '../../domain/run/fork.js';
import { newBatchId } from '../../domain/ids.js';
import type { RunEnd } from '../../domain/run/run.js';
import { evaluate, oneRun, run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase(), { max: 24 });
});
afterAll(() => db.close());

const CANCELLED: RunEnd = { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null };
const LOST: RunEnd = { endReason: 'infra_error', finalEvaluation: 'not_run', detail: 'lost', cause: 'engine' };

const evaluationsOf = async (runId: string) =>
  (
    await db.pool.query<{ of: string; closed: boolean }>(
      `select concat_ws(' ', step, kind, split, status) as of, ended_at is not null as closed
       from evaluations where run_id = $1 order by step, split desc`,
      [runId],
    )
  ).rows;
const openEvaluations = async (): Promise<number> =>
  (
    await db.pool.query(
      `select from evaluations e join runs r using (run_id) where e.status = 'pending' and r.status = 'ended'`,
    )
  ).rows.length;

test("a run shows what its provider's cache saved, by the prices of its model file", async () => {
  const { runId } = await oneRun(db);
  const saved = async () => (await db.queries.showRun(runId)).cacheSavedUsd;
  await db.pool.query('update runs set input_tokens = 1000000, cached_tokens = 400000 where run_id = $1', [runId]);
  expect(await saved()).toBeNull();
  const prices = [{ from: '2024-01-01', input: '2.5', cachedInput: '1.25', output: '10' }];
  await db.pool.query("insert into model_configs (hash, name, content) values ('h', 'm', $1)", [
    JSON.stringify({ prices }),
  ]);
  await db.pool.query("update runs set model_config_hash = 'h' where run_id = $1", [runId]);
  expect(await saved()).toBe('0.5');
});

describe('an evaluation without a result', () => {
  test.each([
    ['cancelled', CANCELLED],
    ['ended by a fault', LOST],
    ['ended by its limit', { ...SUBMITTED, endReason: 'max_steps' } as const],
  ])('of a run that is %s is not_run, and counts as none', async (_how, end) => {
    const { runId } = await oneRun(db);
    await evaluate(db, runId, 1, 'validate', 0.5);
    await db.store.evaluationNumber(runId, 2, 'validate');
    await db.store.finishRun(runId, end);
    expect(await evaluationsOf(runId)).toEqual([
      { of: '1 validate test ok', closed: true },
      { of: '2 validate test not_run', closed: true },
    ]);
    const shown = await db.queries.showRun(runId);
    expect([shown.evaluations, shown.evaluationList.map(({ status }) => status), shown.bestScore]).toEqual([
      1,
      ['ok'],
      0.5,
    ]);
    // A result that comes later changes nothing.
    await evaluate(db, runId, 2, 'validate', 0.9);
    expect((await db.queries.showRun(runId)).bestScore).toBe(0.5);
    expect((await evaluationsOf(runId))[1]).toMatchObject({ of: '2 validate test not_run' });
  });

  test('of runs that end together is closed in each of them', async () => {
    const made = submission(null, (id) => [1, 2, 3].map((attempt) => run(id, task('t'), 'm', attempt)));
    await db.intake.submit(made);
    const runIds = made.runs.map(({ runId }) => runId);
    for (const runId of runIds) await db.store.evaluationNumber(runId, 1, 'submit');
    await db.store.finishRuns(runIds.slice(0, 2), CANCELLED);
    expect(await openEvaluations()).toBe(0);
    expect(await evaluationsOf(runIds[2]!)).toMatchObject([{ of: '1 submit test pending' }]);
    await db.store.finishBatch(made.batch.batchId, 'cancelled');
    expect(await openEvaluations()).toBe(0);
  });

  test('that begins after the end is closed at once', async () => {
    const { runId } = await oneRun(db);
    await db.store.finishRun(runId, CANCELLED);
    expect(await db.store.evaluationNumber(runId, 1, 'forced')).toBe(1);
    expect(await evaluationsOf(runId)).toEqual([{ of: '1 forced test not_run', closed: true }]);
  });

  test('that begins while the run ends is never left open', async () => {
    const made = submission(null, (id) => Array.from({ length: 40 }, (_, i) => run(id, task('t'), 'm', i + 1)));
    await db.intake.submit(made);
    await Promise.all(
      made.runs.flatMap(({ runId }, nth) => {
        const begin = () => db.store.evaluationNumber(runId, 1, 'forced');
        const end = () => db.store.finishRun(runId, nth % 2 === 0 ? CANCELLED : LOST);
        return nth % 4 < 2 ? [begin(), end()] : [end(), begin()];
      }),
    );
    expect(await openEvaluations()).toBe(0);
  });

  test('of the hidden test of a run that ends without a final one is closed, and opens again in its fork', async () => {
    const spec = task('hidden', 'maximize', { splits: ['validation', 'test'] });
    const origin = await oneRun(db, spec);
    await db.store.saveAction(origin.runId, 1, { response: 'r', thought: '', action: 'validate', modelMs: 1 });
    await db.store.saveCommand(origin.runId, 1, {
      ...{ observation: '', exitCode: 0, timedOut: false, lost: false, outputBytes: 0, requested: 'validate' },
      ...{ workingDir: '/w', commandMs: 1 },
    });
    await db.store.evaluationNumber(origin.runId, 1, 'validate');
    const score = { status: 'ok', metrics: { score: 1 }, primary: 1, suspect: false, message: '' } as const;
    await db.store.saveShown({
      ...{ runId: origin.runId, step: 1, kind: 'validate', submissionSha256: 'abc', isolation: 'container', ms: 1 },
      ...{ evaluationNumber: 1, message: '', otherSplits: [{ split: 'validation', ...score }] },
    });
    await db.store.finishRun(origin.runId, { endReason: 'budget', finalEvaluation: 'not_run', detail: null });
    expect(await evaluationsOf(origin.runId)).toMatchObject([
      { of: '1 validate validation ok' },
      { of: '1 validate test not_run' },
    ]);
    const batchId = newBatchId();
    const fork = forkOf(origin, { batchId, atStep: 1 });
    const { batch } = submission(null, () => []);
    await db.intake.submit({ batch: { ...batch, batchId }, runs: [fork] });
    expect(await db.store.nextHidden(fork.runId)).toMatchObject({ step: 1, submissionSha256: 'abc' });
  });
});

describe('a model call without an answer', () => {
  const request = {
    ...{ provider: 'openai', model: 'm', reservedUsd: '0.5' },
    messages: [{ role: 'user' as const, content: 'hello' }],
  };

  test('is closed with its run, and never reserved after it', async () => {
    const made = submission(null, (id) => [run(id, task('t'), 'm', 1)]);
    await db.intake.submit({ ...made, batch: { ...made.batch, budgetUsd: '5' } });
    const { runId, batchId } = made.runs[0]!;
    await db.store.reserveCall({ runId, step: 1, try: 0 }, request);
    await db.store.reserveCall({ runId, step: 2, try: 0 }, { ...request, tellsSending: true });
    await db.store.finishRun(runId, CANCELLED);
    const calls = await db.pool.query('select step, status, error from model_calls where run_id = $1 order by step', [
      runId,
    ]);
    expect(calls.rows).toEqual([
      { step: 1, status: 'unconfirmed', error: 'lost' },
      { step: 2, status: 'failed', error: 'not_sent' },
    ]);
    await expect(db.store.reserveCall({ runId, step: 3, try: 0 }, request)).rejects.toMatchObject({ name: 'Stale' });
    expect((await db.queries.findBatch(batchId)).chargedUsd).toBe('0.5');
  });
});

describe('what is printed by a run that somebody watches', () => {
  test('is dropped with its end, whatever became of its worker', async () => {
    const { runId } = await oneRun(db);
    await db.store.watchRun(runId, 60);
    const output = { runId, step: 1, tail: 'epoch 3', worker: 'host/1' };
    expect(await db.store.saveLiveOutput(output)).toBe(true);
    await db.store.finishRun(runId, LOST);
    const left = await db.pool.query('select from live_outputs where run_id = $1', [runId]);
    expect(left.rows).toHaveLength(0);
    expect(await db.store.saveLiveOutput(output)).toBe(false);
  });
});
