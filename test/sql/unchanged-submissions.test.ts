import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { EndReason } from '../../domain/run/outcomes.js';
import type { TaskSpec } from '../../domain/task/task.js';
import { pairsRequestSchema } from '../../domain/requests/pairs.js';
import { comparePairs } from '../../operations/results/compare-pairs.js';
import { evaluate, run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(() => db.close());

const STARTER = 'a'.repeat(64);
const OWN = 'b'.repeat(64);

interface Played {
  model: string;
  kind?: 'real' | 'scripted';
  /** Scores and what they are of, in order; the last is the submission. */
  scores: [score: number, sha256: string | null][];
  end?: EndReason;
}

let tasks = 0;
const measured = (value: number | null = 0.5, more: Partial<TaskSpec> = {}): TaskSpec =>
  task(`unchanged${++tasks}`, 'maximize', {
    ...(value === null ? {} : { baseline: { value, standardError: 0 } }),
    target: { value: 1 },
    ...more,
  });

/** Agents of models act in one shell command, which the rules on steps take for a change. */
async function played(of: TaskSpec, plays: Played[], note: 'before' | 'after' = 'before'): Promise<string[]> {
  const batch = submission(null, (id) =>
    plays.map(({ model, kind = 'real' }, i) => ({
      ...run(id, of, model, i + 1),
      model: { name: model, kind, provider: 'p', model },
    })),
  );
  await db.intake.submit(batch);
  const ids = batch.runs.map(({ runId }) => runId);
  if (note === 'before') await db.store.noteStarter(ids[0]!, STARTER);
  for (const [i, { scores, end = 'submit' }] of plays.entries()) {
    const runId = ids[i]!;
    await db.pool.query(
      `insert into steps (run_id, step, response, thought, action, observation, exit_code)
       values ($1, 1, '', '', './agent --work', '', 0)`,
      [runId],
    );
    await db.pool.query('update runs set input_tokens = 10 where run_id = $1', [runId]);
    for (const [at, [score, submissionSha256]] of scores.entries())
      await evaluate(db, runId, at + 1, at === scores.length - 1 ? 'submit' : 'validate', score, { submissionSha256 });
    await db.store.finishRun(runId, { ...SUBMITTED, endReason: end });
  }
  if (note === 'after') await db.store.noteStarter(ids[0]!, STARTER);
  return ids;
}

const flagsOf = async (ids: string[]): Promise<[model: string, rule: string][]> =>
  (
    await db.pool.query<{ model: string; rule: string }>(
      `select r.model_name as model, m.rule from integrity_flags m join runs r using (run_id)
       where r.run_id = any ($1) order by 1, 2`,
      [ids],
    )
  ).rows.map(({ model, rule }) => [model, rule]);
const rowOf = async (runId: string) =>
  (await db.pool.query('select best_score, final_score from runs where run_id = $1', [runId])).rows[0] as object;

describe('a program that changes nothing and scores best by noise', () => {
  const PLAYS: Played[] = [
    { model: 'idle', scores: [[0.9, STARTER]] },
    { model: 'worker', scores: [[0.7, OWN]] },
  ];
  let of: TaskSpec;
  let ids: string[];
  beforeAll(async () => {
    of = measured();
    ids = await played(of, PLAYS);
  });

  test.each([{}, { metric: 'best-submission' }, { include: ['suspect'] }, { mode: 'compat' }] as const)(
    'ranks with the baseline on a leaderboard: %j',
    async (options) => {
      const { rows } = await db.queries.leaderboard({ tasks: [of.id], intervals: true, ...options });
      expect(rows.map(({ model, rank, improvedTasks, gain }) => [model, rank, improvedTasks, gain?.best])).toEqual([
        ['worker', 1, 1, expect.closeTo(0.4, 9)],
        ['idle', 2, 0, 0],
      ]);
      const [, idle] = rows;
      expect(idle?.winRate).toEqual({ best: 0, last: 0 });
      expect(idle?.curve).toMatchObject({ best: [{ k: 1, gain: 0, improved: 0 }] });
      expect(idle?.scores[of.id]).toMatchObject({ best: 0.5, last: 0.5, bestGain: 0, lastGain: 0 });
    },
  );

  test('ranks with it in saved comparisons, pairs, and the functions of SQL', async () => {
    const axis = (await db.queries.leaderboard({ tasks: [of.id] })).comparison.T!;
    const fixed = {
      models: ['idle', 'worker'],
      tasks: [of.id],
      contracts: { [of.id]: 1 },
      axis,
      mode: 'strict' as const,
    };
    await db.comparisons.save('unchanged', { ...fixed, baselines: { [of.id]: 0.5 } });
    const { rows } = await db.queries.leaderboard({ view: 'unchanged' });
    expect(rows.map(({ model, rank }) => [model, rank])).toEqual([
      ['worker', 1],
      ['idle', 2],
    ]);
    const asked = pairsRequestSchema.parse({ models: ['idle', 'worker'], tasks: [of.id] });
    await db.pool.query('update runs set attempt = 1 where run_id = $1', [ids[1]]);
    const { tasks: pairs } = await comparePairs(db, asked);
    expect(pairs.map(({ outcomes }) => outcomes)).toEqual([{ both: 0, onlyA: 0, onlyB: 1, neither: 0 }]);
    const models = await db.pool.query(
      'select model, best_place::int from leaderboard_models(for_tasks => $1) order by 2',
      [[of.id]],
    );
    expect(models.rows).toEqual([
      { model: 'worker', best_place: 1 },
      { model: 'idle', best_place: 2 },
    ]);
    const gains = await db.pool.query(
      'select model, best_gain, improved_attempts::int from leaderboard_gains(for_tasks => $1) order by 2',
      [[of.id]],
    );
    expect(gains.rows[0]).toEqual({ model: 'idle', best_gain: 0, improved_attempts: 0 });
  });

  test("shows the baseline's score, and is flagged", async () => {
    expect(await rowOf(ids[0]!)).toEqual({ best_score: 0.5, final_score: 0.5 });
    expect(await rowOf(ids[1]!)).toEqual({ best_score: 0.7, final_score: 0.7 });
    expect(await flagsOf(ids)).toEqual([['idle', 'untouched_starter']]);
  });
});

test('measuring the untouched starter first raises no flag and does not hide later work', async () => {
  const [better, worse] = await played(measured(), [
    {
      model: 'careful',
      scores: [
        [0.9, STARTER],
        [0.6, OWN],
      ],
    },
    {
      model: 'unlucky',
      kind: 'scripted',
      scores: [
        [0.9, STARTER],
        [0.4, OWN],
      ],
    },
  ]);
  expect(await rowOf(better!)).toEqual({ best_score: 0.6, final_score: 0.6 });
  expect(await rowOf(worse!)).toEqual({ best_score: 0.5, final_score: 0.4 });
  expect(await flagsOf([better!, worse!])).toEqual([['unlucky', 'untouched_starter']]);
});

test("what the starter's baseline command makes is the starter too, also for runs from before it was measured", async () => {
  const of = measured(null);
  const [before] = await played(of, [{ model: 'early', scores: [[0.9, OWN]] }], 'after');
  expect(await rowOf(before!)).toEqual({ best_score: 0.9, final_score: 0.9 });
  const [starter] = await played(of, [{ model: 'scripted:baseline', kind: 'scripted', scores: [[0.5, OWN]] }], 'after');
  expect(await rowOf(before!)).toEqual({ best_score: 0.5, final_score: 0.5 });
  // A second measurement stays one.
  const [again] = await played(of, [{ model: 'scripted:baseline', kind: 'scripted', scores: [[0.6, OWN]] }], 'after');
  expect(await rowOf(starter!)).toEqual({ best_score: 0.5, final_score: 0.5 });
  expect(await rowOf(again!)).toEqual({ best_score: 0.6, final_score: 0.6 });
  expect(await flagsOf([starter!, again!])).toEqual([]);
});

test('a score within the noise of the baseline is not improved', async () => {
  const of = measured(0.5, { baseline: { value: 0.5, standardError: 0.1 } });
  await played(of, [
    { model: 'lucky', scores: [[0.65, OWN]] },
    { model: 'good', scores: [[0.75, 'c'.repeat(64)]] },
  ]);
  const { rows } = await db.queries.leaderboard({ tasks: [of.id] });
  expect(rows.map(({ model, improvedTasks, gain }) => [model, improvedTasks, gain?.best])).toEqual([
    ['good', 1, 0.5],
    ['lucky', 0, 0],
  ]);
});

describe('a model that never answered', () => {
  test.each(['config_error', 'infra_error'] as const)('is ranked on no board: %s', async (end) => {
    const [one, other] = [measured(), measured()];
    const broken = `broken ${end}`;
    await played(one, [
      { model: broken, scores: [], end },
      { model: `worker ${end}`, scores: [[0.7, OWN]] },
    ]);
    // Without a run here it would be the last of this task.
    await played(other, [{ model: `worker ${end}`, scores: [[0.7, OWN]] }]);
    for (const options of [{}, { mode: 'compat' }] as const) {
      const { rows } = await db.queries.leaderboard({ tasks: [one.id, other.id], intervals: true, ...options });
      expect(rows.map(({ model, rank, unranked }) => [model, rank, unranked])).toEqual([
        [`worker ${end}`, 1, null],
        [broken, null, 'never_ran'],
      ]);
      expect(rows[1]).toMatchObject({ winRate: null, bestAup: null, averageRank: null, intervals: null });
    }
    const models = await db.pool.query('select model, best_place from leaderboard_models(for_tasks => $1) order by 2', [
      [one.id, other.id],
    ]);
    expect(models.rows.at(-1)).toEqual({ model: broken, best_place: null });
  });
});
