import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { EndReason } from '../../domain/run/outcomes.js';
import type { Allocation } from '../../domain/views/allocation.js';
import { evaluate, run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(() => db.close());

const begin: Allocation = {
  ...{ confidence: 0.95, maxAttempts: 8, looks: 0, pairs: 0, settled: 0, state: 'playing', detail: 'first' },
};
let made = 0;

/** A batch of two models whose first attempts are stored, none of them ended. */
async function twoModels(more: { target?: boolean } = {}) {
  const n = ++made;
  const tasks = [1, 2, 3].map((i) =>
    task(`t${n}-${i}`, 'maximize', {
      ...(more.target === false ? {} : { target: { value: 10, sample: 10 } }),
      baseline: { value: 0, standardError: 0 },
    }),
  );
  const batch = submission(null, (id) =>
    [1, 2].flatMap((attempt) => tasks.flatMap((of) => ['a', 'b'].map((model) => run(id, of, model, attempt)))),
  );
  await db.intake.submit({ ...batch, batch: { ...batch.batch, allocation: begin } });
  return batch.batch.batchId;
}

/** Ends what is open with these scores. */
async function play(
  batchId: string,
  scoreOf: (model: string, attempt: number) => number,
  endReason: EndReason = 'submit',
) {
  const { runList } = await db.queries.batchStatus(batchId);
  for (const { runId, model, attempt, status } of runList) {
    if (status === 'ended') continue;
    await evaluate(db, runId, 1, 'validate', scoreOf(model, attempt));
    await db.store.finishRun(runId, { endReason, finalEvaluation: 'ok', detail: null });
  }
}
const status = async (batchId: string) => (await db.queries.batchStatus(batchId)).allocation!;

describe('attempts that are given out on the way', () => {
  test('wait for those that are being played, and stop when the order is settled', async () => {
    const batchId = await twoModels();
    expect(await db.store.batchState(batchId)).toMatchObject({ allocates: true });
    expect(await db.store.nextAttempts(batchId)).toBe(0);
    expect((await status(batchId)).looks).toBe(0);
    await play(batchId, (model, attempt) => (model === 'a' ? 9 : 1) + attempt / 10);
    expect(await db.store.nextAttempts(batchId)).toBe(0);
    expect(await status(batchId)).toMatchObject({ state: 'settled', looks: 1, pairs: 1, settled: 1 });
    expect((await status(batchId)).detail).toBe('stopped: 1 of 1 pairs of models are in order at 95 %');
  });

  test('go on while it is not, with the next numbers and seeds, once, and end with the most', async () => {
    const batchId = await twoModels();
    const uneven = (model: string, attempt: number) => (model === 'a' ? 6.5 : 3.5) + (attempt % 2 === 0 ? 3 : -3);
    const alike = (_model: string, attempt: number) => (attempt % 2 === 0 ? 2 : 8);
    await play(batchId, uneven);
    const added = await Promise.all([db.store.nextAttempts(batchId), db.store.nextAttempts(batchId)]);
    expect(added.sort((a, b) => a - b)).toEqual([0, 6]);
    const { runList } = await db.queries.batchStatus(batchId);
    expect(runList).toHaveLength(18);
    expect(new Set(runList.map(({ model, task: of, attempt }) => `${model} ${of} ${attempt}`)).size).toBe(18);
    const { seed, attempt } = await db.store.definition(runList.at(-1)!.runId);
    expect(seed).toBe(42 + attempt);
    expect((await status(batchId)).detail).toContain('continues with 6 more attempts');
    for (let look = 0; look < 10; look++) {
      await play(batchId, alike);
      if ((await db.store.nextAttempts(batchId)) === 0) break;
    }
    expect(await status(batchId)).toMatchObject({ state: 'max_attempts', settled: 0, pairs: 1 });
    const counts = new Map<string, number>();
    for (const one of (await db.queries.batchStatus(batchId)).runList)
      counts.set(`${one.model} ${one.task}`, (counts.get(`${one.model} ${one.task}`) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(8);
  });

  test('stop, and say so, where a pair has no attempt that counts, the budget is spent, or no task has gains', async () => {
    const failed = await twoModels();
    await play(failed, () => 5, 'infra_error');
    expect(await db.store.nextAttempts(failed)).toBe(0);
    expect(await status(failed)).toMatchObject({ state: 'unknown' });
    const without = await twoModels({ target: false });
    await play(without, () => 5);
    await db.store.nextAttempts(without);
    expect((await status(without)).detail).toContain('none of its tasks has both a baseline and a target');
    const spent = await twoModels();
    await play(spent, (model, attempt) => (model === 'a' ? 5 : 4) + (attempt % 2 === 0 ? 3 : -3));
    await db.pool.query('update batches set budget_usd = 1, charged_usd = 1 where batch_id = $1', [spent]);
    expect(await db.store.nextAttempts(spent)).toBe(0);
    expect((await status(spent)).detail).toContain('the budget is spent');
  });
});
