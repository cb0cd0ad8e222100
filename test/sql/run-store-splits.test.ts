import type { Included } from '../../domain/requests/comparison.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { EvaluationRecord } from '../../domain/run/run.js';
import { splitScores } from '../../domain/task/scores.js';
import { evaluate, run, SUBMITTED, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(async () => {
  await db.close();
});

const split = task('t-split', 'maximize', { splits: ['validation', 'test'] });

async function stored(spec = split): Promise<{ batchId: string; runId: string }> {
  const batch = submission(null, (batchId) => [run(batchId, spec, 'm', 1)]);
  await db.intake.submit(batch);
  return { batchId: batch.batch.batchId, runId: batch.runs[0]?.runId ?? '' };
}

/** Store one submission's score on both splits, as the activity does; null: rejected there. */
async function scored(
  runId: string,
  step: number,
  kind: EvaluationRecord['kind'],
  validation: number | null,
  onTest: number | null,
): Promise<void> {
  const outcome = (score: number | null) =>
    score === null
      ? ({ kind: 'rejected', message: 'a late failure' } as const)
      : ({ kind: 'ok', metrics: { score } } as const);
  const scores = splitScores(
    split,
    new Map([
      ['validation', outcome(validation)],
      ['test', outcome(onTest)],
    ]),
  );
  const failed = onTest === null ? 'rejected' : onTest;
  await evaluate(db, runId, step, kind, failed, {
    ...scores.test,
    shown: 'what the agent saw',
    otherSplits: scores.others,
  });
}

const finished = async (runId: string) => {
  await db.store.finishRun(runId, SUBMITTED);
  return db.queries.showRun(runId);
};

describe('an evaluation on two splits', () => {
  test('is two rows under one number, each with its own score', async () => {
    const { runId } = await stored();
    await scored(runId, 1, 'validate', 0.9, 0.4);
    await scored(runId, 2, 'submit', 0.3, 0.6);
    const { evaluationList } = await db.queries.showRun(runId);
    expect(evaluationList.map((row) => [row.step, row.number, row.split, row.primary, row.metrics])).toEqual([
      [1, 1, 'validation', 0.9, { score: 0.9 }],
      [1, 1, 'test', 0.4, { score: 0.4 }],
      [2, 2, 'validation', 0.3, { score: 0.3 }],
      [2, 2, 'test', 0.6, { score: 0.6 }],
    ]);
  });

  test('counts with its test score alone, and is chosen as the best by its validation score', async () => {
    const { runId, batchId } = await stored();
    await scored(runId, 1, 'validate', 0.2, 0.7);
    await scored(runId, 2, 'validate', 0.99, 0.1);
    await scored(runId, 3, 'submit', 0.98, 0.5);
    expect(await finished(runId)).toMatchObject({ bestScore: 0.1, finalScore: 0.5, evaluations: 3 });
    const { rows } = await db.queries.leaderboard({ batchId, include: ['scripted'] });
    expect(rows).toMatchObject([{ scores: { 't-split': { best: 0.1, last: 0.5 } } }]);
  });

  test('gives nothing for many guesses: the best attempt is the one that the agent could tell to be so', async () => {
    const { runId, batchId } = await stored();
    for (let guess = 1; guess <= 45; guess++)
      await scored(runId, guess, 'validate', guess === 7 ? 0.6 : 0.5, guess / 50);
    await scored(runId, 46, 'submit', 0.5, 0.5);
    expect(await finished(runId)).toMatchObject({ bestScore: 7 / 50, finalScore: 0.5 });
    const { rows } = await db.queries.leaderboard({ batchId, include: ['scripted'] });
    expect(rows).toMatchObject([{ scores: { 't-split': { best: 7 / 50, last: 0.5 } } }]);
  });

  test("that is rejected on validation is nobody's best attempt", async () => {
    const { runId } = await stored();
    await scored(runId, 1, 'validate', null, 0.9);
    await scored(runId, 2, 'submit', 0.1, 0.2);
    expect(await finished(runId)).toMatchObject({ bestScore: 0.2 });
  });

  test('of a task with one split is the best by the scores that the agent sees, which count', async () => {
    const { runId } = await stored(task('t-one'));
    await evaluate(db, runId, 1, 'validate', 0.7);
    await evaluate(db, runId, 2, 'submit', 0.5);
    expect(await finished(runId)).toMatchObject({ bestScore: 0.7, finalScore: 0.5 });
  });

  test('that is stored twice is stored once', async () => {
    const { runId } = await stored();
    await scored(runId, 1, 'validate', 0.2, 0.7);
    await scored(runId, 1, 'validate', 0.3, 0.8);
    const { evaluationList } = await db.queries.showRun(runId);
    expect(evaluationList.map(({ primary }) => primary)).toEqual([0.2, 0.7]);
  });

  test('that fails on the test split alone keeps its validation score and gives none', async () => {
    const { runId } = await stored();
    await scored(runId, 1, 'submit', 0.2, null);
    const shown = await finished(runId);
    expect(shown).toMatchObject({ bestScore: null, finalScore: null });
    expect(shown.evaluationList.map((row) => [row.split, row.status, row.primary])).toEqual([
      ['validation', 'ok', 0.2],
      ['test', 'rejected', null],
    ]);
  });

  test.each([
    ['validation', 1000, 0.7, [true, true]],
    ['test', 0.7, 1000, [false, true]],
  ] as const)(
    'beyond its bounds on %s is suspect where it is ranked, and not ranked',
    async (_, validation, onTest, flags) => {
      const { runId, batchId } = await stored();
      await scored(runId, 1, 'submit', validation, onTest);
      const { evaluationList } = await finished(runId);
      expect(evaluationList.map(({ suspect }) => suspect)).toEqual(flags);
      const best = async (...include: Included[]) =>
        (await db.queries.leaderboard({ batchId, include: ['scripted', ...include] })).rows[0]?.scores['t-split']
          ?.best ?? null;
      expect(await best()).toBeNull();
      expect(await best('suspect')).toBe(onTest);
    },
  );
});

describe('an evaluation whose test waits for the end of the sandbox', () => {
  const validated = async (runId: string, step: number, validation: number, more: { suspect?: boolean } = {}) => {
    const score = {
      ...{
        status: 'ok' as const,
        metrics: { score: validation },
        primary: validation,
        suspect: false,
        message: 'valid',
        ...more,
      },
    };
    await db.store.saveShown({
      ...{ runId, step, kind: 'validate', ms: 5, isolation: 'container', epoch: 1, message: 'valid' },
      ...{ shown: 'what the agent saw', otherSplits: [{ split: 'validation', ...score }] },
      submissionSha256: String(step).repeat(64),
      evaluationNumber: await db.store.evaluationNumber(runId, step, 'validate'),
    });
  };
  const tested = async (runId: string, primary: number) => {
    const next = await db.store.nextHidden(runId);
    if (next === null) throw new Error('nothing waits');
    await db.store.saveEvaluation({
      ...{ runId, ...next, status: 'ok', metrics: { score: primary }, primary, message: 'valid', ms: 5 },
      ...{ shown: '', evaluationNumber: next.number, isolation: 'container' },
    });
    return next;
  };
  const acted = (runId: string, step: number) =>
    db.store.saveAction(runId, step, { response: 'I do', thought: '', action: 'validate', modelMs: 1 });

  test('is announced with the run of a task that has a validation split', async () => {
    const { batchId } = await stored();
    expect(await db.store.loadShard(batchId, 0)).toMatchObject([{ hiddenSplit: true }]);
    const single = await stored(task('t-single', 'maximize'));
    expect(await db.store.loadShard(single.batchId, 0)).toMatchObject([{ hiddenSplit: false }]);
  });

  test('is known and shown at once, is scored later, and is told to the agent once', async () => {
    const { runId } = await stored();
    await acted(runId, 1);
    await validated(runId, 1, 0.6);
    await validated(runId, 1, 0.7);
    expect(await db.store.evaluation(runId, 1, 'validate')).toMatchObject({ status: 'ok', primary: null });
    expect((await db.store.step(runId, 1))?.observation).toBe('what the agent saw');
    expect((await db.queries.showRun(runId)).evaluationList).toMatchObject([{ split: 'validation', primary: 0.6 }]);
    expect(await tested(runId, 0.5)).toEqual({
      ...{ step: 1, kind: 'validate', number: 1, fromStep: null, suspect: false },
      submissionSha256: '1'.repeat(64),
    });
    expect(await db.store.nextHidden(runId)).toBeNull();
    expect((await db.store.step(runId, 1))?.observation).toBe('what the agent saw');
    const { evaluationList, bestScore } = await finished(runId);
    expect(evaluationList.map(({ split, primary }) => [split, primary])).toEqual([
      ['validation', 0.6],
      ['test', 0.5],
    ]);
    expect(bestScore).toBe(0.5);
  });

  test('counts at a forced end by what was shown, unless that is suspect', async () => {
    const { runId } = await stored();
    await validated(runId, 1, 0.6);
    await validated(runId, 2, 0.4);
    await validated(runId, 3, 7, { suspect: true });
    expect(await db.store.validSubmission(runId, 'best')).toMatchObject({ step: 1 });
    expect(await db.store.validSubmission(runId, 'last')).toMatchObject({ step: 2 });
  });

  test('waits in a fork of its run, too, where numbers go on', async () => {
    const { runId } = await stored();
    await acted(runId, 1);
    await db.store.saveCommand(runId, 1, {
      ...{ observation: '', exitCode: 0, timedOut: false, lost: false, outputBytes: 0, requested: 'validate' as const },
      ...{ workingDir: '/', commandMs: 1 },
    });
    await validated(runId, 1, 0.6);
    const batch = submission(null, (id) => [{ ...run(id, split, 'm', 1), forkedFrom: { runId, step: 1 } }]);
    await db.intake.submit(batch);
    const fork = batch.runs[0]!.runId;
    expect(await db.store.nextHidden(fork)).toMatchObject({ step: 1, number: 1 });
    expect(await db.store.evaluationNumber(fork, 2, 'validate')).toBe(2);
  });

  test('tells what the run ended with once it is tested', async () => {
    const { runId } = await stored();
    await validated(runId, 1, 0.6);
    await tested(runId, 0.6);
    expect(await db.store.finalEvaluation(runId)).toBeNull();
    await scored(runId, 2, 'submit', 0.5, null);
    expect(await db.store.finalEvaluation(runId)).toBe('rejected');
  });

  test('flags a run whose test is far better than its validation, and no other', async () => {
    const rules = async (validation: number, onTest: number) => {
      const { runId } = await stored();
      await scored(runId, 1, 'submit', validation, onTest);
      return (await finished(runId)).flags.map(({ rule }) => rule);
    };
    expect(await rules(0.3, 90)).toEqual(['test_beats_validation']);
    expect(await rules(90, 0.3)).toEqual([]);
    expect(await rules(60, 80)).toEqual([]);
    expect(await rules(0.3, 0.9)).toEqual([]);
  });
});
