import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { evaluate, run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { LeaderboardRun } from '../../domain/views/leaderboard-run.js';

const server = sharedDatabases();
let db: Database;
let board: Leaderboard;
let runs: LeaderboardRun[];

beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
  const tasks = ['one', 'two'].map((id) => task(id, 'maximize', { baseline: { value: 1, standardError: 0 } }));
  const real = (name: string) => ({ name, kind: 'real' as const, provider: 'openai', model: name });
  const batch = submission('crafted', (batchId) => [
    ...['alpha', 'beta'].flatMap((model) =>
      tasks.flatMap((spec) => [1, 2].map((attempt) => ({ ...run(batchId, spec, model, attempt), model: real(model) }))),
    ),
    run(batchId, tasks[0]!, 'scripted:slow', 1),
  ]);
  await db.intake.submit(batch);
  for (const [i, { runId }] of batch.runs.entries()) {
    const suspect = i === 1;
    await evaluate(db, runId, 1, 'validate', 2 + (i % 3), { isolation: 'container' });
    await evaluate(db, runId, 2, 'submit', suspect ? 1000 : 1.5 + (i % 4), { isolation: 'container', suspect });
    await db.store.finishRun(runId, SUBMITTED);
  }
  board = await db.queries.leaderboard({ intervals: true });
  runs = await db.queries.leaderboardRuns(board);
});
afterAll(() => db.close());

test('the runs behind a leaderboard are those that it counts', () => {
  expect(runs).toHaveLength(9);
  for (const row of board.rows)
    for (const [id, cell] of Object.entries(row.scores)) {
      const own = runs.filter((one) => one.model === row.model && one.task === id);
      expect(own).toHaveLength(cell.attempts);
      expect(own.filter(({ counted }) => counted)).toHaveLength(cell.counted);
      if (cell.bestRun !== null) expect(own.find(({ runId }) => runId === cell.bestRun)?.best).toBe(cell.best);
    }
});

test('with a k, no more runs count than the leaderboard takes', async () => {
  const first = await db.queries.leaderboard({ k: 1 });
  const found = await db.queries.leaderboardRuns(first);
  expect(found.filter(({ counted }) => counted)).toHaveLength(5);
});
