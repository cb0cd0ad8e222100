import { expect, test } from 'vitest';
import { openDatabase } from '../../db/index.js';
import { pairsRequestSchema } from '../../domain/requests/pairs.js';
import type { FrozenOptions } from '../../domain/views/comparisons.js';
import { pairsSchema } from '../../domain/views/pairs.js';
import { trendSchema } from '../../domain/views/trend.js';
import { compare as compareSides } from '../../operations/results/compare.js';
import { comparePairs } from '../../operations/results/compare-pairs.js';
import { storeSweep } from '../browser/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

test('a saved view limits what is compared to its tasks, in its versions of them, and to its batch', async () => {
  const db = openDatabase(await sharedDatabases().createDatabase());
  try {
    const { batch } = await storeSweep(db);
    const options: FrozenOptions = {
      ...{ metric: 'best-attempt', mode: 'strict', models: ['alpha', 'beta'], tasks: ['one'], axis: 1, include: [] },
      ...{ contracts: { one: 1 }, baselines: { one: null } },
    };
    await db.comparisons.save('paper', options);
    await db.comparisons.save('later', { ...options, contracts: { one: 2 } });
    await db.comparisons.save('sweep', { ...options, batchId: batch.batchId });
    await db.comparisons.save('elsewhere', { ...options, batchId: crypto.randomUUID() });
    const within = async (view: string, more = {}) =>
      (await compareSides(db, { a: 'alpha', b: 'beta', view, ...more })).tasks.map(({ task, pairs }) => [
        task,
        pairs.length,
      ]);
    expect(await within('paper')).toEqual([['one', 2]]);
    expect(await within('sweep')).toEqual([['one', 2]]);
    const { sides } = await compareSides(db, { a: 'alpha', b: 'beta', view: 'sweep' });
    expect([sides.a.runs, sides.b.runs]).toEqual([2, 2]);
    expect(await within('paper', { tasks: ['two'] })).toEqual([]);
    expect(await within('later')).toEqual([]);
    await expect(within('elsewhere')).rejects.toThrow('alpha has no runs of these tasks');
    await expect(within('none')).rejects.toThrow('none');
    const ofBatches = { a: batch.batchId, b: batch.batchId, view: 'elsewhere' };
    await expect(compareSides(db, ofBatches)).rejects.toThrow('the saved view elsewhere is of one batch');
  } finally {
    await db.close();
  }
});

test('models and batches are compared attempt by attempt, with the runs that a leaderboard counts', async () => {
  const db = openDatabase(await sharedDatabases().createDatabase());
  try {
    const { runs, batch } = await storeSweep(db);
    const compare = async (request: Record<string, unknown>) =>
      pairsSchema.parse(await comparePairs(db, pairsRequestSchema.parse(request)));
    const models = await compare({ models: ['alpha', 'beta'] });
    expect([models.by, models.a, models.b, models.unpaired]).toEqual(['model', 'alpha', 'beta', { a: 0, b: 0 }]);
    expect(models.tasks.map(({ task, pairs }) => [task, pairs.length])).toEqual([
      ['one', 2],
      ['two', 2],
    ]);
    for (const { pairs, mean, outcomes, scored } of models.tasks) {
      for (const { a, b, attempt, sameSeed } of pairs) {
        const [first, second] = [a, b].map(({ runId }) => runs.find((run) => run.runId === runId)!);
        expect([first!.attempt, second!.attempt, sameSeed]).toEqual([attempt, attempt, first!.seed === second!.seed]);
        expect([first!.model.name, second!.model.name]).toEqual(['alpha', 'beta']);
      }
      expect(mean).toBeCloseTo(pairs.reduce((sum, { a, b }) => sum + b.score! - a.score!, 0) / scored);
      expect(Object.values(outcomes).reduce((sum, some) => sum + some, 0)).toBe(pairs.length);
    }
    const trend = trendSchema.parse(await db.pages.trend({ task: 'one', model: 'alpha' }));
    expect([trend.direction, trend.baseline]).toEqual(['maximize', 1]);
    expect(trend.points).toMatchObject([{ batchId: batch.batchId, name: 'sweep', contract: 1, runs: 2, scored: 2 }]);
    await expect(db.pages.trend({ task: 'one', model: 'none' })).rejects.toThrow('no run of none at one counts');
    const other = await storeSweep(db).catch(() => null);
    if (other !== null) {
      const batches = await compare({ batches: [batch.batchId, other.batch.batchId], tasks: ['one'] });
      expect(batches.by).toBe('batch');
      expect(batches.tasks.flatMap(({ pairs }) => pairs.map(({ a, b }) => a.model === b.model))).toEqual(
        Array(6).fill(true),
      );
    }
    await expect(compare({ models: ['alpha', 'alpha'] })).rejects.toThrow('the same');
    await expect(compare({})).rejects.toThrow('two batches, two models or two agents');
    const { verdict, sides } = models;
    expect([verdict!.wins + verdict!.ties + verdict!.losses, verdict!.confidence]).toEqual([4, 0.95]);
    expect(sides.a).toMatchObject({ runs: 4, unfinished: 0 });
    expect(Object.values(sides.a.ends).reduce((sum, n) => sum + n, 0)).toBe(4);
    await db.pool.query(
      "update runs set status = 'running', end_reason = null, final_evaluation = null, ended_at = null where run_id = $1",
      [runs.find(({ model }) => model.name === 'beta')!.runId],
    );
    // Before all have ended nothing is decided.
    const open = await compare({ models: ['alpha', 'beta'] });
    expect([open.sides.b.unfinished, open.verdict!.worse]).toEqual([1, 'undecided']);
  } finally {
    await db.close();
  }
});

test('sides are models, agents or batches by their names', async () => {
  const db = openDatabase(await sharedDatabases().createDatabase());
  try {
    const { batch } = await storeSweep(db);
    const ofModels = await compareSides(db, { a: 'alpha', b: 'beta' });
    expect([ofModels.by, ofModels.tasks.length]).toEqual(['model', 2]);
    await expect(compareSides(db, { a: 'alpha', b: 'gamme' })).rejects.toMatchObject({
      type: 'usage',
      message: 'alpha and gamme are not two models, agents or batches with runs',
      remedy: expect.stringContaining('models alpha, beta') as string,
    });
    await expect(compareSides(db, { a: batch.batchId, b: batch.batchId })).rejects.toThrow('the same');
    await expect(compareSides(db, { a: 'alpha', b: 'beta', tasks: ['none'] })).rejects.toThrow(
      'alpha has no runs of these tasks',
    );
    await db.pool.query(
      "update runs set end_reason = 'infra_error', final_evaluation = 'not_run' where model_name = 'beta'",
    );
    const none = await compareSides(db, { a: 'alpha', b: 'beta' });
    expect([none.verdict, none.tasks, none.sides.b.ends]).toEqual([null, [], { infra_error: none.sides.b.runs }]);
    await expect(compareSides(db, { a: 'alpha', b: 'beta', confidence: 2 })).rejects.toThrow(
      'confidence must be a number from 0.5 to 0.9999',
    );
  } finally {
    await db.close();
  }
});
