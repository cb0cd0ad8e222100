import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { evaluate, run, submission, task } from '../fixtures/rows.js';
import { pick, seededRandom } from '../setup/random.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const SEED = Number(process.env['BENCH_RESULTS_SEED'] ?? 1);
const server = sharedDatabases();
let db: Database;
let url: string;
beforeAll(async () => {
  url = await server.createDatabase();
  db = openDatabase(url);
});
afterAll(() => db.close());

const ask = (batchId: string) => db.queries.leaderboard({ batchId, include: ['scripted'], intervals: true });
const kept = async () =>
  (await db.pool.query<{ inputs: string }>('select inputs from leaderboard_figures order by created_at')).rows;

async function twoModels(): Promise<string> {
  const batch = submission(null, (id) => ['a', 'b'].flatMap((m) => [1, 2].map((nth) => run(id, task('one'), m, nth))));
  await db.intake.submit(batch);
  for (const { runId } of batch.runs) {
    await evaluate(db, runId, 1, 'validate', 3);
    await db.store.finishRun(runId, { endReason: 'submit', finalEvaluation: 'ok', detail: null });
  }
  return batch.batch.batchId;
}

test(`kept figures are those that are computed anew, whatever happens to the runs (BENCH_RESULTS_SEED=${SEED})`, async () => {
  const next = seededRandom(SEED);
  const below = (n: number) => Math.floor(next() * n);
  const tasks = ['up', 'down'].map((id) => task(id, id === 'down' ? 'minimize' : 'maximize'));
  const batch = submission(null, (id) =>
    [1, 2, 3].flatMap((attempt) => tasks.flatMap((of) => ['a', 'b', 'c'].map((model) => run(id, of, model, attempt)))),
  );
  await db.intake.submit(batch);
  const { batchId } = batch.batch;
  await db.pool.query(
    `insert into baselines (content_hash, value, standard_error) select content_hash, 5, 0.5 from task_versions`,
  );
  const target = (value: number) =>
    db.pool.query(`update task_versions set spec = spec || jsonb_build_object('target', $1::float8)`, [value]);
  await target(20);
  for (const { runId } of batch.runs) {
    await evaluate(db, runId, 1, 'validate', below(40) / 2);
    await db.store.finishRun(runId, { endReason: 'submit', finalEvaluation: 'ok', detail: null });
  }
  const changes: ((runId: string) => Promise<unknown>)[] = [
    (runId) => db.pool.query('update evaluations set primary_score = $2 where run_id = $1', [runId, below(40) / 2]),
    (runId) => db.pool.query('update evaluations set suspect = not suspect where run_id = $1', [runId]),
    (runId) => db.pool.query('delete from evaluations where run_id = $1', [runId]),
    (runId) => db.pool.query(`update runs set end_reason = 'infra_error' where run_id = $1`, [runId]),
    () => db.pool.query('update baselines set value = $1, standard_error = $2', [below(10), next()]),
    () => target(15 + below(10)),
  ];
  for (let turn = 0; turn < 12; turn++) {
    if (turn > 0) await pick(next, changes)(pick(next, batch.runs).runId);
    await ask(batchId);
    const before = await kept();
    const shown = await ask(batchId);
    expect(await kept(), 'the second time nothing is computed').toEqual(before);
    await db.pool.query('delete from leaderboard_figures');
    expect(await ask(batchId)).toEqual(shown);
  }
});

test('of many comparisons the newest are kept', async () => {
  await db.pool.query(
    `insert into leaderboard_figures (inputs, figures, created_at)
     select 'old ' || i, '{}', now() - make_interval(days => i) from generate_series(1, 300) i`,
  );
  await ask(await twoModels());
  const rows = (await kept()).map(({ inputs }) => inputs);
  expect(rows).toHaveLength(200);
  expect(rows).toContain('old 1');
  expect(rows).not.toContain('old 300');
});

test('whoever may only read is shown the same, kept or not', async () => {
  const batchId = await twoModels();
  const reader = openDatabase(url, { reads: true });
  const read = () => reader.queries.leaderboard({ batchId, include: ['scripted'], intervals: true });
  const shown = await ask(batchId);
  expect(await read()).toEqual(shown);
  await db.pool.query('delete from leaderboard_figures');
  expect(await read()).toEqual(shown);
  expect(await kept()).toEqual([]);
  await reader.close();
});
