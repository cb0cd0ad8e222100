import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, type Leaderboard, openDatabase, type SubmittedRun } from '../../db/index.js';
import { UNSCORED_ENDS } from '../../domain/outcomes.js';
import type { EndReason, FinalEvaluation } from '../../domain/outcomes.js';
import { evaluate, run, submission, task } from './db-fixture.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';

let server: TestPostgres;
let db: Database;
beforeAll(async () => {
  server = await startPostgres();
  db = openDatabase(await server.createDatabase());
});
afterAll(async () => {
  await db.close();
  await server.stop();
});

const accuracy = task('t-acc', 'maximize', { baseline: { value: 0.5, standardError: 0 } });
const loss = task('t-loss', 'minimize', { baseline: { value: 10, standardError: 0 } });

type Score = number | 'rejected' | { suspect: number } | { isolated: false; score: number };
interface Played {
  model: string;
  task: ReturnType<typeof task>;
  attempt: number;
  /** All but the last are validates. */
  scores: Score[];
  /** What came last; default: submit if there is a score, else a forced end with no artefact. */
  end?: EndReason | 'unfinished';
  /** The last score is a validate too: the final evaluation failed. */
  finalEvaluation?: FinalEvaluation;
  change?: Partial<SubmittedRun>;
}

/** Store a batch whose runs went as told; returns its id and its run ids. */
async function play(plan: Played[], name: string | null = null): Promise<{ batchId: string; runIds: string[] }> {
  const batch = submission(name, (batchId) =>
    plan.map((p) => ({ ...run(batchId, p.task, p.model, p.attempt), ...p.change })),
  );
  await db.submit(batch);
  for (const [i, p] of plan.entries()) {
    const runId = batch.runs[i]?.runId ?? '';
    const failedEnd = p.finalEvaluation !== undefined && p.finalEvaluation !== 'ok';
    for (const [j, score] of p.scores.entries()) {
      const last = j === p.scores.length - 1 && !failedEnd && p.end === undefined;
      const kind = last ? 'submit' : 'validate';
      if (typeof score !== 'object') await evaluate(db, runId, j + 1, kind, score);
      else if ('suspect' in score) await evaluate(db, runId, j + 1, kind, score.suspect, { suspect: true });
      else await evaluate(db, runId, j + 1, kind, score.score, { isolation: 'none' });
    }
    if (failedEnd) await evaluate(db, runId, p.scores.length + 1, 'submit', 'no_artefact');
    if (p.end === 'unfinished') continue;
    await db.store.finishRun(runId, {
      endReason: p.end ?? (p.scores.length > 0 ? 'submit' : 'max_steps'),
      finalEvaluation: p.finalEvaluation ?? (p.scores.length > 0 ? 'ok' : 'no_artefact'),
      detail: null,
    });
  }
  return { batchId: batch.batch.batchId, runIds: batch.runs.map(({ runId }) => runId) };
}

const rowOf = (board: Leaderboard, model: string) => board.rows.find((row) => row.model === model);
const scoresOf = (board: Leaderboard) =>
  Object.fromEntries(
    board.rows.map((row) => [
      row.model,
      Object.fromEntries(Object.entries(row.scores).map(([id, { best, last }]) => [id, [best, last]])),
    ]),
  );
const all = { includeScripted: true, includeLocal: true };

test('two tasks, three models, worked out by hand', async () => {
  const { batchId } = await play([
    { model: 'A', task: accuracy, attempt: 1, scores: [0.6, 0.8, 0.75] },
    { model: 'A', task: accuracy, attempt: 2, scores: [] },
    { model: 'A', task: loss, attempt: 1, scores: [8, 9] },
    { model: 'A', task: loss, attempt: 2, scores: [12] },
    { model: 'B', task: accuracy, attempt: 1, scores: [0.64] },
    { model: 'B', task: accuracy, attempt: 2, scores: [0.5, 0.55] },
    { model: 'B', task: loss, attempt: 1, scores: [5] },
    { model: 'B', task: loss, attempt: 2, scores: [] },
    { model: 'C', task: accuracy, attempt: 1, scores: [0.45] },
    { model: 'C', task: accuracy, attempt: 2, scores: [] },
    { model: 'C', task: loss, attempt: 1, scores: ['rejected'] },
    { model: 'C', task: loss, attempt: 2, scores: [] },
  ]);
  const board = await db.queries.leaderboard({ batchId, ...all });
  expect(scoresOf(board)).toEqual({
    A: { 't-acc': [0.8, 0.75], 't-loss': [8, 9] },
    B: { 't-acc': [0.64, 0.64], 't-loss': [5, 5] },
    C: { 't-acc': [0.45, 0.45], 't-loss': [null, null] },
  });
  expect(board.comparison).toEqual({
    models: ['A', 'B', 'C'],
    tasks: ['t-acc', 't-loss'],
    k: null,
    T: null,
    mode: 'strict',
    metric: 'best-attempt',
    includeSuspect: false,
    includeLocal: true,
    includeScripted: true,
    batchId,
  });
  expect(board.tasks).toMatchObject([
    { task: 't-acc', name: 'Task t-acc', direction: 'maximize', baseline: 0.5, primary: 'score', contract: 1 },
    { task: 't-loss', direction: 'minimize', baseline: 10 },
  ]);
  expect(board.rows.map(({ model, rank, averageRank }) => [model, rank, averageRank])).toEqual([
    ['A', 1, 1.5],
    ['B', 1, 1.5],
    ['C', 3, 3],
  ]);
  expect(rowOf(board, 'A')).toMatchObject({
    bestAup: null,
    lastAup: null,
    kind: 'scripted',
    isolation: 'container',
    unranked: null,
    attempts: 4,
    ended: 4,
    infraErrors: 0,
    costUsd: '0',
  });
  expect(rowOf(board, 'A')?.scores['t-acc']).toMatchObject({
    attempts: 2,
    counted: 2,
    scored: 1,
    mean: 0.8,
    bestRank: 1,
  });
  expect(rowOf(board, 'A')?.scores['t-loss']).toMatchObject({ mean: 10, bestRank: 2, lastRank: 2 });
});

describe('the last attempt', () => {
  test('is the last successful validate when the final evaluation failed', async () => {
    const { batchId } = await play([
      { model: 'A', task: accuracy, attempt: 1, scores: [0.9, 0.3], finalEvaluation: 'no_artefact' },
    ]);
    expect(scoresOf(await db.queries.leaderboard({ batchId }))).toEqual({ A: { 't-acc': [0.9, 0.3] } });
  });

  test('over runs is the best of them in the direction of the task, not that of the last run', async () => {
    const { batchId } = await play([
      { model: 'A', task: loss, attempt: 1, scores: [8, 9] },
      { model: 'A', task: loss, attempt: 2, scores: [12] },
    ]);
    expect(scoresOf(await db.queries.leaderboard({ batchId }))).toEqual({ A: { 't-loss': [8, 9] } });
  });
});

describe('ends that are not the agent’s doing', () => {
  test('count in the denominator, and their scores do not count', async () => {
    const { batchId } = await play([
      { model: 'A', task: accuracy, attempt: 1, scores: [0.4] },
      { model: 'A', task: accuracy, attempt: 2, scores: [0.9], end: 'infra_error', finalEvaluation: 'not_run' },
      { model: 'A', task: accuracy, attempt: 3, scores: [0.9], end: 'config_error', finalEvaluation: 'not_run' },
      { model: 'A', task: accuracy, attempt: 4, scores: [0.9], end: 'cancelled', finalEvaluation: 'not_run' },
      { model: 'A', task: accuracy, attempt: 5, scores: [0.9], end: 'unfinished' },
    ]);
    const row = rowOf(await db.queries.leaderboard({ batchId }), 'A');
    expect(row).toMatchObject({ attempts: 5, ended: 4, infraErrors: 1, configErrors: 1, cancelled: 1 });
    expect(row?.scores['t-acc']).toMatchObject({ best: 0.4, last: 0.4, counted: 1, scored: 1 });
  });

  test('are the same ones in SQL as in the program', async () => {
    const { rows } = await db.pool.query<{ end_reason: EndReason }>(
      `select distinct end_reason from run_scores where status = 'ended' and not counted order by 1`,
    );
    expect(rows.map((row) => row.end_reason)).toEqual([...UNSCORED_ENDS].sort());
  });

  test('do not use up one of the k attempts', async () => {
    const { batchId } = await play([
      { model: 'A', task: accuracy, attempt: 1, scores: [0.1] },
      { model: 'A', task: accuracy, attempt: 2, scores: [], end: 'infra_error', finalEvaluation: 'not_run' },
      { model: 'A', task: accuracy, attempt: 3, scores: [0.2] },
      { model: 'A', task: accuracy, attempt: 4, scores: [0.3] },
    ]);
    const bestAt = async (k: number) => rowOf(await db.queries.leaderboard({ batchId, k }), 'A')?.scores['t-acc']?.best;
    expect([await bestAt(1), await bestAt(2), await bestAt(3), await bestAt(9)]).toEqual([0.1, 0.2, 0.3, 0.3]);
  });

  test('are replaced by their retry', async () => {
    const first = await play([
      { model: 'A', task: accuracy, attempt: 1, scores: [], end: 'infra_error', finalEvaluation: 'not_run' },
    ]);
    const retry = await play([
      { model: 'A', task: accuracy, attempt: 1, scores: [0.7], change: { replaces: first.runIds[0] ?? null } },
    ]);
    const { rows } = await db.pool.query(
      'select attempts::int, infra_errors::int, retried::int, best_attempt from leaderboard_entries where batch_id = any ($1) order by attempts',
      [[first.batchId, retry.batchId]],
    );
    expect(rows).toEqual([
      { attempts: 0, infra_errors: 0, retried: 1, best_attempt: null },
      { attempts: 1, infra_errors: 0, retried: 0, best_attempt: 0.7 },
    ]);
  });
});

describe('suspect scores', () => {
  test('count only on request, as best and as last attempt', async () => {
    const { batchId } = await play([{ model: 'A', task: accuracy, attempt: 1, scores: [0.4, 0.3, { suspect: 999 }] }]);
    const strict = await db.queries.leaderboard({ batchId });
    expect(scoresOf(strict)).toEqual({ A: { 't-acc': [0.4, 0.3] } });
    expect(rowOf(strict, 'A')).toMatchObject({ suspect: 1 });
    for (const options of [{ includeSuspect: true }, { mode: 'compat' as const }])
      expect(scoresOf(await db.queries.leaderboard({ batchId, ...options }))).toEqual({ A: { 't-acc': [999, 999] } });
  });

  test('leave no score when there is no other', async () => {
    const { batchId } = await play([{ model: 'A', task: accuracy, attempt: 1, scores: [{ suspect: 999 }] }]);
    expect(scoresOf(await db.queries.leaderboard({ batchId }))).toEqual({ A: { 't-acc': [null, null] } });
  });
});

describe('positions', () => {
  test('equal values share the mean of their positions, and so do missing ones', async () => {
    const plan = (model: string, scores: Score[]): Played => ({ model, task: loss, attempt: 1, scores });
    const { batchId } = await play([plan('A', [3]), plan('B', [1]), plan('C', [3]), plan('D', []), plan('E', [])]);
    const board = await db.queries.leaderboard({ batchId, ...all });
    expect(board.rows.map(({ model, rank, averageRank }) => [model, rank, averageRank])).toEqual([
      ['B', 1, 1],
      ['A', 2, 2.5],
      ['C', 2, 2.5],
      ['D', 4, 4.5],
      ['E', 4, 4.5],
    ]);
  });

  test('a model that was not submitted for a task is missing there', async () => {
    const { batchId } = await play([
      { model: 'A', task: accuracy, attempt: 1, scores: [0.1] },
      { model: 'A', task: loss, attempt: 1, scores: [1] },
      { model: 'B', task: accuracy, attempt: 1, scores: [0.2] },
    ]);
    const board = await db.queries.leaderboard({ batchId, ...all });
    expect(rowOf(board, 'B')).toMatchObject({ averageRank: 1.5 });
    expect(rowOf(board, 'B')?.scores['t-loss']).toMatchObject({ attempts: 0, best: null, bestRank: 2 });
  });

  test('by best submission differ from those by best attempt', async () => {
    const { batchId } = await play([
      { model: 'A', task: accuracy, attempt: 1, scores: [0.9, 0.1] },
      { model: 'B', task: accuracy, attempt: 1, scores: [0.5] },
    ]);
    const order = async (metric: 'best-attempt' | 'best-submission') =>
      (await db.queries.leaderboard({ batchId, metric, ...all })).rows.map(({ model }) => model);
    expect([await order('best-attempt'), await order('best-submission')]).toEqual([
      ['A', 'B'],
      ['B', 'A'],
    ]);
  });

  test('go to real models in isolation; others are listed without one, unless asked for', async () => {
    const real = { kind: 'real', provider: 'p', model: 'x' } as const;
    const { batchId } = await play([
      { model: 'scripted:a', task: accuracy, attempt: 1, scores: [0.9] },
      {
        model: 'human',
        task: accuracy,
        attempt: 1,
        scores: [0.7],
        change: { model: { name: 'human', kind: 'human', provider: 'human', model: 'human' } },
      },
      { model: 'real', task: accuracy, attempt: 1, scores: [0.5], change: { model: { name: 'real', ...real } } },
      {
        model: 'loose',
        task: accuracy,
        attempt: 1,
        scores: [0.8],
        change: { model: { name: 'loose', ...real }, backend: 'local' },
      },
    ]);
    const ranks = async (options: object) =>
      Object.fromEntries(
        (await db.queries.leaderboard({ batchId, ...options })).rows.map((r) => [
          r.model,
          [r.rank, r.isolation, r.unranked],
        ]),
      );
    expect(await ranks({})).toEqual({
      real: [1, 'container', null],
      loose: [null, 'none', 'isolation'],
      'scripted:a': [null, 'container', 'kind'],
      human: [null, 'container', 'kind'],
    });
    expect(await ranks({ includeLocal: true })).toMatchObject({
      loose: [1, 'none', null],
      real: [2, 'container', null],
    });
    expect(await ranks(all)).toMatchObject({ 'scripted:a': [1, 'container', null], real: [4, 'container', null] });
  });

  test('one evaluation without isolation makes the whole run one without isolation', async () => {
    const { batchId } = await play([
      { model: 'A', task: accuracy, attempt: 1, scores: [0.1, { isolated: false, score: 0.9 }] },
      { model: 'A', task: accuracy, attempt: 2, scores: [0.2] },
    ]);
    const { rows } = await db.queries.leaderboard({ batchId, ...all });
    expect(rows.map((r) => [r.isolation, r.scores['t-acc']?.best])).toEqual([
      ['none', 0.9],
      ['container', 0.2],
    ]);
  });
});

describe('what is compared', () => {
  test('models and tasks can be chosen, over all batches', async () => {
    const odd = task('t-odd');
    for (const score of [0.3, 0.6, 0.5])
      await play([
        { model: 'over-batches', task: odd, attempt: 1, scores: [score] },
        { model: 'left-out', task: odd, attempt: 1, scores: [1] },
      ]);
    const board = await db.queries.leaderboard({ models: ['over-batches'], tasks: ['t-odd'], ...all });
    expect(scoresOf(board)).toEqual({ 'over-batches': { 't-odd': [0.6, 0.6] } });
    expect(rowOf(board, 'over-batches')?.attempts).toBe(3);
    const first = await db.queries.leaderboard({ models: ['over-batches'], tasks: ['t-odd'], k: 1 });
    expect(scoresOf(first)).toEqual({ 'over-batches': { 't-odd': [0.3, 0.3] } });
  });

  test('scores of an older contract of a task are left out', async () => {
    await play([{ model: 'A', task: task('t-contract'), attempt: 1, scores: [0.9] }]);
    await play([{ model: 'A', task: task('t-contract', 'maximize', { contract: 2 }), attempt: 1, scores: [0.4] }]);
    const board = await db.queries.leaderboard({ tasks: ['t-contract'] });
    expect(scoresOf(board)).toEqual({ A: { 't-contract': [0.4, 0.4] } });
    expect(board.tasks).toMatchObject([{ contract: 2, baseline: null }]);
  });

  test('nothing gives an empty leaderboard', async () => {
    const board = await db.queries.leaderboard({ models: ['nobody'] });
    expect([board.rows, board.tasks, board.comparison.models]).toEqual([[], [], []]);
  });
});

test('of equal values the earliest run and the earliest evaluation are named', async () => {
  const { batchId, runIds } = await play([
    { model: 'A', task: loss, attempt: 2, scores: [3, 3] },
    { model: 'A', task: loss, attempt: 1, scores: [4, 3, 3] },
  ]);
  const board = await db.queries.leaderboard({ batchId });
  expect(rowOf(board, 'A')?.scores['t-loss']).toMatchObject({ bestRun: runIds[1], lastRun: runIds[1] });
  const { rows } = await db.pool.query('select best_number, last_number from run_scores where run_id = $1', [
    runIds[1],
  ]);
  expect(rows).toEqual([{ best_number: 2, last_number: 3 }]);
});
