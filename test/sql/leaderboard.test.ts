import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import { UNSCORED_ENDS, type EndReason, type FinalEvaluation } from '../../domain/run/outcomes.js';
import { evaluate, run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import type { Leaderboard, LeaderboardOptions } from '../../domain/views/leaderboard.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(async () => {
  await db.close();
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
async function play(
  plan: Played[],
  name: string | null = null,
  of: { verification?: boolean } = {},
): Promise<{ batchId: string; runIds: string[] }> {
  const { batch: definition, runs } = submission(name, (batchId) =>
    plan.map((p) => ({ ...run(batchId, p.task, p.model, p.attempt), ...p.change })),
  );
  const batch = { batch: { ...definition, ...of }, runs };
  await db.intake.submit(batch);
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
    // A real model that was never called is flagged.
    if (p.change?.model?.kind === 'real')
      await db.pool.query('update runs set input_tokens = 1 where run_id = $1', [runId]);
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
const all = { include: ['scripted', 'local'] } as const;

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
  const board = await db.queries.leaderboard({ batchId, ...all, intervals: true });
  expect(scoresOf(board)).toEqual({
    A: { 't-acc': [0.8, 0.75], 't-loss': [8, 9] },
    B: { 't-acc': [0.64, 0.64], 't-loss': [5, 5] },
    C: { 't-acc': [0.45, 0.45], 't-loss': [null, null] },
  });
  expect(board.comparison).toMatchObject({
    models: ['A', 'B', 'C'],
    tasks: ['t-acc', 't-loss'],
    k: null,
    T: 0.5,
    saved: null,
    mode: 'strict',
    metric: 'best-attempt',
    include: ['scripted', 'local'],
    batchId,
  });
  expect(board.tasks).toMatchObject([
    { task: 't-acc', name: 'Task t-acc', direction: 'maximize', baseline: 0.5, primary: 'score', contract: 1 },
    { task: 't-loss', direction: 'minimize', baseline: 10 },
  ]);
  expect(board.rows.map(({ model, rank, averageRank }) => [model, rank, averageRank])).toEqual([
    ['B', 1, 1.5],
    ['A', 2, 1.5],
    ['C', 3, 4],
  ]);
  expect(board.baseline).toMatchObject({ averageRank: 3 });
  expect(rowOf(board, 'A')?.profile?.best).toEqual([
    [0, 0.5],
    [Math.log10(1.6), 1],
  ]);
  expect(rowOf(board, 'C')?.profile).toEqual({ best: [], last: [] });
  expect(rowOf(board, 'C')?.scores['t-acc']).toMatchObject({ bestStatus: 'infeasible', bestRatio: 1.6 * 1.05 });
  expect(rowOf(board, 'A')).toMatchObject({
    improvedTasks: 2,
    missingTasks: 0,
    notRunTasks: 0,
    kind: 'scripted',
    isolation: 'container',
    unranked: null,
    attempts: 4,
    ended: 4,
    infraErrors: 0,
    costUsd: '0',
  });
  const areas = (of: Leaderboard) => of.rows.map(({ bestAup, lastAup }) => [bestAup?.toFixed(6), lastAup?.toFixed(6)]);
  expect(areas(board)).toEqual([
    ['0.903090', '0.931119'],
    ['0.795880', '0.744727'],
    ['0.000000', '0.000000'],
  ]);
  expect(board.baseline?.bestAup).toBeCloseTo(0.49485, 6);
  expect(areas(await db.queries.leaderboard({ batchId, ...all, mode: 'compat' }))).toEqual([
    ['0.397796', '0.372244'],
    ['0.451403', '0.465431'],
    ['0.225952', '0.239980'],
  ]);
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
      { model: 'A', task: accuracy, attempt: 6, scores: [0.9], end: 'budget' },
      { model: 'A', task: accuracy, attempt: 7, scores: [0.3], end: 'refusal' },
    ]);
    const row = rowOf(await db.queries.leaderboard({ batchId }), 'A');
    expect(row).toMatchObject({ attempts: 7, ended: 6, infraErrors: 1, configErrors: 1, cancelled: 2, refused: 1 });
    expect(row?.scores['t-acc']).toMatchObject({ best: 0.4, last: 0.4, counted: 2, scored: 2, refused: 1 });
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

test('a model at which only the infrastructure failed loses neither area nor position there', async () => {
  const { batchId } = await play([
    ...['A', 'B'].map((model) => ({ model, task: accuracy, attempt: 1, scores: [0.8] })),
    { model: 'A', task: loss, attempt: 1, scores: [5] },
    { model: 'B', task: loss, attempt: 1, scores: [], end: 'infra_error', finalEvaluation: 'not_run' },
    { model: 'B', task: loss, attempt: 2, scores: [], end: 'infra_error', finalEvaluation: 'not_run' },
  ]);
  const board = await db.queries.leaderboard({ batchId, ...all });
  expect(board.rows.map(({ model, averageRank }) => [model, averageRank])).toEqual([
    ['A', 1.25],
    ['B', 1.5],
  ]);
  expect(rowOf(board, 'B')).toMatchObject({ bestAup: 1, lastAup: 1, missingTasks: 0, notRunTasks: 1 });
  expect(rowOf(board, 'B')?.profile?.best).toEqual([[0, 1]]);
  expect(rowOf(board, 'B')?.scores['t-loss']).toMatchObject({ bestStatus: 'not_run', bestRank: null, infraErrors: 2 });
});

const NOTHING = {
  ...{ bestWinRate: null, lastWinRate: null, bestGain: null, lastGain: null },
  ...{ pBest: null, group: null },
};

describe('intervals', () => {
  const plan = (['A', 'B'] as const).flatMap((model) =>
    [accuracy, loss].flatMap((of) =>
      [1, 2, 3].map((attempt) => ({
        model,
        task: of,
        attempt,
        scores: [of === accuracy ? 0.6 + 0.05 * attempt + (model === 'A' ? 0.1 : 0) : 5 + attempt],
      })),
    ),
  );

  test('lie around each win rate, and are always the same', async () => {
    const { batchId } = await play(plan);
    const asked = { batchId, ...all, intervals: true };
    const board = await db.queries.leaderboard(asked);
    for (const { winRate, intervals } of board.rows) {
      expect(intervals?.bestWinRate?.low).toBeLessThanOrEqual(winRate?.best ?? NaN);
      expect(intervals?.bestWinRate?.high).toBeGreaterThanOrEqual(winRate?.best ?? NaN);
    }
    const first = board.rows.map(({ intervals }) => intervals?.pBest?.best ?? NaN);
    expect((first[0] ?? NaN) + (first[1] ?? NaN)).toBeCloseTo(1, 9);
    expect(first[0]).toBeGreaterThan(0.7);
    expect(await db.queries.leaderboard(asked)).toEqual(board);
    expect((await db.queries.leaderboard({ ...asked, intervals: false })).rows[0]?.intervals).toBeNull();
  });

  test('are unknown of one task', async () => {
    const { batchId } = await play(plan);
    const one = await db.queries.leaderboard({ batchId, ...all, tasks: ['t-loss'], intervals: true });
    expect(one.rows[0]?.intervals).toEqual(NOTHING);
    expect(one.comparison.separation).toBeNull();
  });
});

describe('a saved comparison', () => {
  const odd = task('t-saved', 'maximize', { baseline: { value: 1, standardError: 0 } });
  const played = (model: string, score: number) => play([{ model, task: odd, attempt: 1, scores: [score] }]);
  const figures = ({ rows }: Leaderboard) =>
    rows.map(({ model, bestAup, averageRank }) => [model, bestAup, averageRank]);

  test('keeps its figures when another model comes, and says who is left out and which runs came since', async () => {
    await played('first', 8);
    await played('second', 4);
    const before = await db.queries.leaderboard({ tasks: ['t-saved'], ...all });
    const models = ['first', 'second'];
    const axis = before.comparison.T ?? NaN;
    await db.comparisons.save('mine', {
      models,
      tasks: ['t-saved'],
      contracts: { 't-saved': 1 },
      baselines: { 't-saved': 1 },
      axis,
      mode: 'strict',
      ...all,
    });
    await played('third', 80);
    const moved = await db.queries.leaderboard({ tasks: ['t-saved'], ...all });
    expect(figures(moved).slice(1)).not.toEqual(figures(before));
    const kept = await db.queries.leaderboard({ view: 'mine' });
    expect(figures(kept)).toEqual(figures(before));
    expect(kept.comparison).toMatchObject({ T: axis, models, include: ['scripted', 'local'] });
    expect(kept.comparison.saved).toMatchObject({ name: 'mine', otherModels: ['third'], newRuns: [] });
    await played('second', 5);
    const since = (await db.queries.leaderboard({ view: 'mine' })).comparison.saved?.newRuns;
    expect(since).toEqual([{ model: 'second', task: 't-saved', runs: 1 }]);
  });

  test('keeps the contracts of its tasks: runs of a newer one do not move it, and it tells of them', async () => {
    const old = task('t-frozen', 'maximize', { baseline: { value: 1, standardError: 0 } });
    const tasks = ['t-frozen'];
    await play(['one', 'two'].map((model, i) => ({ model, task: old, attempt: 1, scores: [8 / (i + 1)] })));
    const before = await db.queries.leaderboard({ tasks, ...all });
    const fixed = {
      ...{ models: ['one', 'two'], tasks, contracts: { 't-frozen': 1 }, baselines: { 't-frozen': 1 } },
      axis: before.comparison.T ?? NaN,
    };
    await db.comparisons.save('contracts', { ...fixed, ...all });
    await play([{ model: 'two', task: { ...old, contract: 2 }, attempt: 1, scores: [99] }]);
    const newest = await db.queries.leaderboard({ tasks, ...all });
    expect(newest.tasks).toMatchObject([{ contract: 2 }]);
    expect(newest.rows.map(({ model }) => model)).toEqual(['two']);
    const kept = await db.queries.leaderboard({ view: 'contracts' });
    expect(figures(kept)).toEqual(figures(before));
    expect(kept.tasks).toMatchObject([{ task: 't-frozen', contract: 1 }]);
    expect(kept.comparison).toMatchObject({
      tasks,
      saved: { newRuns: [], otherContracts: [{ task: 't-frozen', contract: 2, runs: 1 }] },
    });
    // As does whoever names it.
    expect(figures(await db.queries.leaderboard({ tasks: ['t-frozen@1'], ...all }))).toEqual(figures(before));
  });

  test('keeps the baselines of its tasks, whatever is measured later', async () => {
    const stated = task('t-stated', 'maximize', { baseline: { value: 2, standardError: 0 } });
    const unknown = task('t-unknown', 'maximize');
    const [tasks, models] = [
      ['t-stated', 't-unknown'],
      ['one', 'two'],
    ];
    await play(
      models.flatMap((model, i) =>
        [stated, unknown].map((of) => ({ model, task: of, attempt: 1, scores: [8 / (i + 1)] })),
      ),
    );
    const before = await db.queries.leaderboard({ tasks, ...all, axis: 1 });
    const figuresOf = ({ tasks: of, baseline, rows }: Leaderboard) => ({
      ...{ of, baseline, rows: rows },
    });
    await db.comparisons.save('baselines', {
      ...{ models, tasks, contracts: { 't-stated': 1, 't-unknown': 1 }, axis: 1, ...all },
      baselines: Object.fromEntries(before.tasks.map(({ task: id, baseline }) => [id, baseline])),
    });
    expect((await db.comparisons.find('baselines')).options.baselines).toEqual({ 't-stated': 2, 't-unknown': null });
    expect(figuresOf(await db.queries.leaderboard({ view: 'baselines' }))).toEqual(figuresOf(before));
    await db.pool.query(`update baselines set value = 5 where content_hash = 'hash-of-t-stated-1'`);
    await db.pool.query(
      `insert into baselines (content_hash, value, standard_error) values ('hash-of-t-unknown-1', 6, 0)`,
    );
    const moved = await db.queries.leaderboard({ tasks, ...all, axis: 1 });
    expect(moved.tasks.map(({ baseline }) => baseline)).toEqual([5, 6]);
    // The second's 4 is below both baselines now.
    expect(moved.rows[1]?.improvedTasks).toBe(0);
    const kept = await db.queries.leaderboard({ view: 'baselines' });
    expect(figuresOf(kept)).toEqual(figuresOf(before));
    expect(kept.rows[1]?.improvedTasks).toBe(2);
    const changedBaselines = [
      { task: 't-stated', saved: 2, now: 5 },
      { task: 't-unknown', saved: null, now: 6 },
    ];
    expect(kept.comparison.saved).toMatchObject({ changedBaselines });
    expect(await db.comparisons.state(await db.comparisons.find('baselines'))).toMatchObject({ changedBaselines });
  });

  test('keeps its name to itself until it is removed', async () => {
    const options = {
      ...{ models: ['first'], tasks: ['t-saved'], contracts: { 't-saved': 1 }, baselines: { 't-saved': 1 } },
      ...{ axis: 1, k: 2 },
    };
    await db.comparisons.save('taken', options);
    await expect(db.comparisons.save('taken', options)).rejects.toThrow('a comparison "taken" already exists');
    expect((await db.comparisons.find('taken')).options).toEqual(options);
    expect((await db.comparisons.list()).map(({ name }) => name)).toContain('taken');
    await db.comparisons.remove('taken');
    await expect(db.queries.leaderboard({ view: 'taken' })).rejects.toMatchObject({ type: 'not_found' });
    await expect(db.comparisons.remove('taken')).rejects.toMatchObject({ type: 'not_found' });
  });
});

describe('the axis', () => {
  test('can be fixed, in both modes: a ratio beyond it adds nothing', async () => {
    const at = (model: string, score: number): Played => ({ model, task: accuracy, attempt: 1, scores: [score] });
    const { batchId } = await play([at('A', 50), at('B', 5)]);
    const areas = async (options: object) => {
      const board = await db.queries.leaderboard({ batchId, ...all, ...options });
      return [board.comparison.T, ...board.rows.map(({ bestAup }) => Number(bestAup?.toFixed(3)))];
    };
    expect(await areas({ axis: 0.5 })).toEqual([0.5, 1, 0]);
    expect(await areas({ axis: 2 })).toEqual([2, 1, 0.5]);
    expect(await areas({ axis: 2, mode: 'compat' })).toEqual([2, 2, 0.998]);
  });
});

test('tasks for which no ranked model was submitted are listed, and no part of the figures', async () => {
  const real = { kind: 'real', provider: 'p', model: 'x' } as const;
  const { batchId } = await play([
    { model: 'real', task: loss, attempt: 1, scores: [5], change: { model: { name: 'real', ...real } } },
    { model: 'scripted:a', task: accuracy, attempt: 1, scores: [0.9] },
  ]);
  const board = await db.queries.leaderboard({ batchId });
  expect(board.tasks.map((one) => [one.task, one.compared])).toEqual([
    ['t-acc', false],
    ['t-loss', true],
  ]);
  expect(rowOf(board, 'real')).toMatchObject({ bestAup: 1, averageRank: 1, missingTasks: 0 });
});

describe('suspect scores', () => {
  test('count only on request, as best and as last attempt', async () => {
    const { batchId } = await play([{ model: 'A', task: accuracy, attempt: 1, scores: [0.4, 0.3, { suspect: 999 }] }]);
    const strict = await db.queries.leaderboard({ batchId });
    expect(scoresOf(strict)).toEqual({ A: { 't-acc': [0.4, 0.3] } });
    expect(rowOf(strict, 'A')).toMatchObject({ suspect: 1 });
    for (const options of [{ include: ['suspect'] }, { mode: 'compat' }] as const)
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
      ['D', 4, 5.5],
      ['E', 4, 5.5],
    ]);
    expect(board.baseline).toMatchObject({ averageRank: 4 });
  });

  test('a model that was not submitted for a task is missing there', async () => {
    const { batchId } = await play([
      { model: 'A', task: accuracy, attempt: 1, scores: [0.1] },
      { model: 'A', task: loss, attempt: 1, scores: [1] },
      { model: 'B', task: accuracy, attempt: 1, scores: [0.2] },
    ]);
    const board = await db.queries.leaderboard({ batchId, ...all });
    expect(rowOf(board, 'B')).toMatchObject({ averageRank: 2.5 });
    expect(rowOf(board, 'B')?.scores['t-loss']).toMatchObject({
      attempts: 0,
      best: null,
      bestRank: 3,
      bestStatus: 'missing',
    });
  });

  test('by best submission differ from those by best attempt', async () => {
    const { batchId } = await play([
      { model: 'A', task: accuracy, attempt: 1, scores: [0.9, 0.1] },
      { model: 'B', task: accuracy, attempt: 1, scores: [0.5] },
    ]);
    const order = async (metric: 'best-attempt' | 'best-submission') =>
      (await db.queries.leaderboard({ batchId, metric, mode: 'compat', ...all })).rows.map(({ model }) => model);
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
        change: { model: { name: 'human', kind: 'human', provider: 'external', model: 'human' } },
      },
      {
        model: 'external',
        task: accuracy,
        attempt: 1,
        scores: [0.6],
        change: { model: { name: 'external', kind: 'external', provider: 'external', model: 'external' } },
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
      external: [null, 'container', 'kind'],
    });
    expect(await ranks({ include: ['local'] })).toMatchObject({
      loose: [1, 'none', null],
      real: [2, 'container', null],
    });
    expect(await ranks(all)).toMatchObject({ 'scripted:a': [1, 'container', null], real: [5, 'container', null] });
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

  test('a newer contract without a result that ranks hides no older one', async () => {
    const at = (contract: number) => task('t-renewed', 'maximize', { contract });
    const real = (name: string) => ({ model: { name, kind: 'real' as const, provider: 'p', model: 'x' } });
    const contractShown = async (options: LeaderboardOptions = {}) =>
      (await db.queries.leaderboard({ tasks: ['t-renewed'], ...options })).tasks.map(({ contract }) => contract);
    await play([{ model: 'R', task: at(3), attempt: 1, scores: [], end: 'unfinished', change: real('R') }]);
    expect(await contractShown()).toEqual([3]);
    await play([{ model: 'R', task: at(1), attempt: 1, scores: [0.7], change: real('R') }]);
    await play([{ model: 'scripted:a', task: at(2), attempt: 1, scores: [0.9] }]);
    await play([{ model: 'R', task: at(2), attempt: 1, scores: [], end: 'infra_error', change: real('R') }]);
    expect(await contractShown()).toEqual([1]);
    expect(scoresOf(await db.queries.leaderboard({ tasks: ['t-renewed'] }))).toEqual({
      R: { 't-renewed': [0.7, 0.7] },
    });
    expect(await contractShown({ include: ['scripted'] })).toEqual([2]);
    expect(await contractShown({ models: ['scripted:a'] })).toEqual([2]);
    expect(await contractShown({ tasks: ['t-renewed@3'] })).toEqual([3]);
  });

  test('of baselines that versions of a task state differently, that of the newest run holds', async () => {
    const stating = (value: number) => task('t-restated', 'maximize', { baseline: { value, standardError: 0 } });
    const baseline = async (models?: string[]) =>
      (await db.queries.leaderboard({ tasks: ['t-restated'], models, ...all })).tasks[0]?.baseline;
    await play([{ model: 'A', task: stating(4), attempt: 1, scores: [5] }]);
    const other = { taskHash: 'hash-of-t-restated-other' };
    const { runIds } = await play([{ model: 'B', task: stating(2), attempt: 1, scores: [3], change: other }]);
    expect([await baseline(), await baseline(['A']), await baseline(['B'])]).toEqual([2, 4, 2]);
    await db.pool.query(`update runs set created_at = created_at - interval '1 day' where run_id = any ($1)`, [runIds]);
    expect(await baseline()).toBe(4);
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

describe('a fork', () => {
  /** A run with one evaluated step, and what it came to. */
  const begun = async (of: ReturnType<typeof task>, end: EndReason) => {
    const { runIds, batchId } = await play([{ model: 'A', task: of, attempt: 1, scores: [0.9], end: 'unfinished' }]);
    const runId = runIds[0] ?? '';
    await db.pool.query(
      `insert into steps (run_id, step, response, thought, action, executed_at) values ($1, 1, '', '', 'validate', now())`,
      [runId],
    );
    await db.store.finishRun(runId, { endReason: end, finalEvaluation: 'not_run', detail: null });
    return { runId, batchId };
  };
  const going = (of: ReturnType<typeof task>, from: string, replaces: string | null, end?: EndReason) =>
    play([
      {
        ...{ model: 'B', task: of, attempt: 1, scores: [], change: { forkedFrom: { runId: from, step: 1 }, replaces } },
        ...(end !== undefined && { end }),
      },
    ]);
  const models = (board: Leaderboard) => board.rows.map(({ model, attempts }) => [model, attempts]);

  test('is no attempt of its own, nor is what repeats it or goes on for it, but in a batch of their own', async () => {
    const of = task('t-forked');
    const origin = await begun(of, 'submit');
    const fork = await going(of, origin.runId, null, 'infra_error');
    const repeated = await going(of, origin.runId, fork.runIds[0]!, 'budget');
    const continued = await going(of, repeated.runIds[0]!, repeated.runIds[0]!);
    const overall = await db.queries.leaderboard({ tasks: ['t-forked'], ...all });
    expect(models(overall)).toEqual([['A', 1]]);
    expect((await db.queries.leaderboardRuns(overall)).map(({ runId }) => runId)).toEqual([origin.runId]);
    const own = await db.queries.leaderboard({ batchId: continued.batchId, ...all });
    expect(scoresOf(own)).toEqual({ B: { 't-forked': [0.9, 0.9] } });
    expect((await db.queries.leaderboardRuns(own)).map(({ runId }) => runId)).toEqual(continued.runIds);
    await db.pool.query('update runs set batch_id = $2, ordinal = 7 where run_id = $1', [
      ...[continued.runIds[0], origin.batchId],
    ]);
    expect(models(await db.queries.leaderboard({ batchId: origin.batchId, ...all }))).toEqual([['A', 1]]);
  });

  test('that goes on for the run that it replaces counts, as does what repeats it', async () => {
    const of = task('t-continued');
    const origin = await begun(of, 'budget');
    const continued = await going(of, origin.runId, origin.runId, 'infra_error');
    await going(of, origin.runId, continued.runIds[0]!);
    const board = await db.queries.leaderboard({ tasks: ['t-continued'], ...all });
    expect(models(board)).toEqual([
      ['B', 1],
      ['A', 0],
    ]);
    expect(rowOf(board, 'B')?.scores['t-continued']).toMatchObject({ best: 0.9, counted: 1 });
  });
});

test('scores on sample data are ranked apart; tasks without data count in both', async () => {
  const data = { sources: [], agent: ['data'], hidden: [], prepareSeconds: 60 };
  const real = task('t-data', 'maximize', { data, baseline: { value: 0.5, standardError: 0 } });
  const small = { ...real, baseline: { value: 0.4, standardError: 0 } };
  const game = task('t-game', 'maximize', { baseline: { value: 1, standardError: 0 } });
  const sampled = { sample: true, taskHash: 'hash-of-t-data-sample' };
  const { batchId, runIds } = await play([
    { model: 'S', task: real, attempt: 1, scores: [0.7] },
    { model: 'S', task: small, attempt: 2, scores: [0.9], change: sampled },
    { model: 'S', task: game, attempt: 1, scores: [2] },
  ]);
  const board = (sample: boolean) => db.queries.leaderboard({ ...all, batchId, sample });
  expect(scoresOf(await board(false))).toEqual({ S: { 't-data': [0.7, 0.7], 't-game': [2, 2] } });
  expect(scoresOf(await board(true))).toEqual({ S: { 't-data': [0.9, 0.9], 't-game': [2, 2] } });
  expect((await board(true)).tasks.map(({ task: id, baseline }) => [id, baseline])).toEqual([
    ['t-data', 0.4],
    ['t-game', 1],
  ]);
  const { rows } = await db.pool.query<{ best: number }>(
    `select best_attempt as best from leaderboard_entries where batch_id = $1 and task = 't-data'`,
    [batchId],
  );
  expect(rows).toEqual([{ best: 0.7 }]);
  // Flagged wherever a run is looked at, and on what repeats it.
  expect(await db.store.definition(runIds[1]!)).toMatchObject({ sample: true });
  expect((await db.queries.findRun(runIds[1]!)).sample).toBe(true);
  const axis = { models: ['S'], tasks: ['t-data'], contracts: { 't-data': 1 }, baselines: { 't-data': 0.4 }, axis: 1 };
  await db.comparisons.save('of-samples', { ...axis, ...all, sample: true });
  expect(scoresOf(await db.queries.leaderboard({ view: 'of-samples' }))).toEqual({ S: { 't-data': [0.9, 0.9] } });
});

test('scores under another profile are ranked apart, with the tasks that do not have it; what is left out is told', async () => {
  const budgets = { profiles: { cpu: {} }, baseline: { value: 1, standardError: 0 } };
  const whole = task('t-budget', 'maximize', budgets);
  const { profiles: _, ...played } = whole;
  const small = { ...played, profile: 'cpu', baseline: { value: 0.5, standardError: 0 } };
  const plain = task('t-plain', 'maximize', { baseline: { value: 1, standardError: 0 } });
  const under = { taskHash: 'hash-of-t-budget-cpu' };
  const { batchId } = await play([
    { model: 'S', task: whole, attempt: 1, scores: [3] },
    { model: 'S', task: small, attempt: 2, scores: [2], change: under },
    { model: 'S', task: small, attempt: 3, scores: ['rejected'], change: under },
    { model: 'S', task: plain, attempt: 1, scores: [4] },
  ]);
  const board = (options: LeaderboardOptions = {}) => db.queries.leaderboard({ ...all, batchId, ...options });
  const own = await board();
  expect(scoresOf(own)).toEqual({ S: { 't-budget': [3, 3], 't-plain': [4, 4] } });
  expect(own.comparison).toMatchObject({ profile: 'default', otherProfiles: [{ profile: 'cpu', runs: 2 }] });
  expect(own.rows[0]).toMatchObject({ attempts: 2 });
  const cpu = await board({ profile: 'cpu' });
  expect(scoresOf(cpu)).toEqual({ S: { 't-budget': [2, 2], 't-plain': [4, 4] } });
  expect(cpu.tasks.map(({ baseline }) => baseline)).toEqual([0.5, 1]);
  expect(cpu.comparison).toMatchObject({ profile: 'cpu', otherProfiles: [{ profile: 'default', runs: 1 }] });
  expect((await board({ tasks: ['t-plain'] })).comparison.otherProfiles).toEqual([]);
  await expect(board({ profile: 'cpv' })).rejects.toMatchObject({
    type: 'usage',
    message: 'no submitted task has a profile "cpv"',
    remedy: 'Profiles: default, cpu.',
  });
  // Sample data imply cpu.
  expect(scoresOf(await board({ sample: true }))).toEqual(scoresOf(cpu));
  expect(scoresOf(await board({ sample: true, profile: 'default' }))).toEqual(scoresOf(own));
  expect((await db.queries.leaderboardRuns(cpu)).map(({ task: id, best }) => [id, best])).toEqual([
    ['t-budget', 2],
    ['t-budget', null],
    ['t-plain', 4],
  ]);
  const { rows } = await db.pool.query(
    `select profile, count(*)::int as runs from run_scores where batch_id = $1 group by 1 order by 1`,
    [batchId],
  );
  expect(rows).toEqual([
    { profile: 'cpu', runs: 2 },
    { profile: null, runs: 2 },
  ]);
  const fixed = {
    models: ['S'],
    tasks: ['t-budget'],
    contracts: { 't-budget': 1 },
    baselines: { 't-budget': 0.5 },
    axis: 1,
  };
  await db.comparisons.save('of-cpu', { ...fixed, ...all, profile: 'cpu' });
  const saved = await db.queries.leaderboard({ view: 'of-cpu' });
  expect(scoresOf(saved)).toEqual({ S: { 't-budget': [2, 2] } });
  expect(saved.comparison.saved?.newRuns).toEqual([]);
  await play([
    { model: 'S', task: whole, attempt: 1, scores: [9] },
    { model: 'S', task: small, attempt: 2, scores: [2.5], change: under },
  ]);
  const later = await db.queries.leaderboard({ view: 'of-cpu' });
  expect(scoresOf(later)).toEqual({ S: { 't-budget': [2.5, 2.5] } });
  expect(later.comparison.saved?.newRuns).toEqual([{ model: 'S', task: 't-budget', runs: 1 }]);
});

test('runs that verified tasks count only in the leaderboard of their batch, and spoilers rank nowhere', async () => {
  const verified = task('t-verified', 'maximize', { baseline: { value: 1, standardError: 0 } });
  const tasks = ['t-verified'];
  const spoiler = 'scripted:spoiler';
  await play([{ model: 'scripted:oracle', task: verified, attempt: 1, scores: [4] }]);
  const before = await db.queries.leaderboard({ tasks, ...all });
  const fixed = { models: ['scripted:oracle'], tasks, contracts: { 't-verified': 1 }, baselines: { 't-verified': 1 } };
  await db.comparisons.save('before-verify', { ...fixed, axis: 1, ...all });
  const { batchId } = await play(
    [
      { model: 'scripted:oracle', task: verified, attempt: 1, scores: [8] },
      { model: spoiler, task: verified, attempt: 1, scores: [9] },
    ],
    null,
    { verification: true },
  );
  const after = await db.queries.leaderboard({ tasks, ...all });
  expect(after).toEqual(before);
  expect((await db.queries.leaderboardRuns(after)).map(({ best }) => best)).toEqual([4]);
  const saved = await db.queries.leaderboard({ view: 'before-verify' });
  expect(saved.comparison.saved).toMatchObject({ newRuns: [], otherModels: [] });
  expect(rowOf(saved, 'scripted:oracle')).toMatchObject({ attempts: 1 });
  const own = await db.queries.leaderboard({ batchId, ...all });
  expect(scoresOf(own)['scripted:oracle']).toEqual({ 't-verified': [8, 8] });
  expect(rowOf(own, spoiler)).toMatchObject({ rank: null, unranked: 'spoiler', bestAup: null });
  expect((await db.queries.leaderboardRuns(own)).map(({ best }) => best)).toEqual([8, 9]);
});

test('a version of a task at the same contract that is ranked otherwise is refused, even where two come at once', async () => {
  const up = task('t-turned', 'maximize');
  const { batchId } = await play([{ model: 'one', task: up, attempt: 1, scores: [1] }]);
  const down = task('t-turned', 'minimize');
  const change = { taskHash: 'hash-of-t-turned-down' };
  await expect(play([{ model: 'one', task: down, attempt: 1, scores: [1], change }])).rejects.toMatchObject({
    type: 'usage',
    message: 'task t-turned is ranked by score (maximize) at contract 1, not by score (minimize)',
    remedy: expect.stringContaining('Raise `contract`') as string,
  });
  expect((await db.queries.leaderboard({ batchId, ...all })).tasks).toMatchObject([{ direction: 'maximize' }]);
  await play([{ model: 'one', task: { ...down, contract: 2 }, attempt: 1, scores: [1], change }]);
  const versions = (['maximize', 'minimize'] as const).map((direction) => task('t-twice', direction));
  const outcomes = await Promise.allSettled(
    versions.map((of, i) =>
      play([{ model: 'one', task: of, attempt: 1, scores: [1], change: { taskHash: `hash-of-t-twice-${i}` } }]),
    ),
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a pair none of whose counted runs has a score names no run', async () => {
  const { batchId } = await play([{ model: 'S', task: accuracy, attempt: 1, scores: ['rejected'] }]);
  const { rows } = await db.pool.query(
    'select best_run, best_submission_run, counted::int from leaderboard_scores($1)',
    [batchId],
  );
  expect(rows).toEqual([{ best_run: null, best_submission_run: null, counted: 1 }]);
});

test('the days of prices are those of the newest file of each model that costs something', async () => {
  const { batchId } = await play([
    { model: 'priced', task: accuracy, attempt: 1, scores: [0.6] },
    { model: 'free', task: accuracy, attempt: 1, scores: [0.7] },
  ]);
  const price = (from: string, input: string) => ({ from, input, output: input });
  const files = [
    ['h-old', 'priced', { prices: [price('2024-01-01', '1')], pricesChecked: '2024-06-01' }, '2024-06-01'],
    ['h-new', 'priced', { prices: [price('2024-01-01', '1'), price('2025-01-01', '2')] }, '2025-06-01'],
    ['h-free', 'free', { prices: [price('2024-01-01', '0')] }, '2025-06-01'],
  ] as const;
  for (const [hash, name, content, at] of files)
    await db.pool.query('insert into model_configs (hash, name, content, created_at) values ($1, $2, $3, $4)', [
      ...[hash, name, JSON.stringify(content), at],
    ]);
  const { prices } = (await db.queries.leaderboard({ ...all, batchId })).comparison;
  expect(prices).toEqual([{ model: 'priced', from: '2025-01-01', checked: null }]);
});

test('unless asked otherwise, the board is of the newest batch with a run that counts', async () => {
  const of = task('t-newest');
  const real = (name: string) => ({ model: { name, kind: 'real' as const, provider: 'p', model: 'x' } });
  const one = (model: string, change: Partial<SubmittedRun> = {}): Played => ({
    ...{ model, task: of, attempt: 1, scores: [0.5], change: { ...real(model), ...change } },
  });
  const older = await play([one('older')], 'older');
  const newer = await play([one('newer')], 'newer');
  // None of these has a run that counts: unscored, scripted, without isolation, a verification.
  await play([{ ...one('unscored'), scores: [] }]);
  await play([{ model: 'scripted:a', task: of, attempt: 1, scores: [0.9] }]);
  await play([one('loose', { backend: 'local' })]);
  await play([one('verified')], null, { verification: true });
  const board = async (options: LeaderboardOptions = {}) => {
    const { comparison, rows } = await db.queries.leaderboard({ newest: true, ...options });
    return { ...comparison, models: rows.map(({ model }) => model) };
  };
  const scope = { batchId: newer.batchId, batchName: 'newer', newest: true, models: ['newer'] };
  expect(await board()).toMatchObject(scope);
  expect(await board({ batchId: older.batchId })).toMatchObject({
    ...{ batchId: older.batchId, batchName: 'older', newest: false, models: ['older'] },
  });
  expect(await board({ include: ['scripted'] })).toMatchObject({ newest: true, models: ['scripted:a'] });
  expect(await board({ include: ['local'] })).toMatchObject({ newest: true, models: ['loose'] });
  const every = await board({ newest: false, tasks: ['t-newest'] });
  expect(every).toMatchObject({ batchId: null, batchName: null, newest: false });
  expect(every.models).toEqual(expect.arrayContaining(['older', 'newer']));
  await db.pool.query('update batches set archived_at = now() where batch_id = $1', [newer.batchId]);
  expect(await board({ tasks: ['t-newest'] })).toMatchObject({ batchName: 'older', newest: true });
});
