import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase, runReadOnlyQuery } from '../../db/index.js';
import { EXAMPLE_QUERIES } from '../../domain/results/example-queries.js';
import { evaluate, run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const page = readFileSync(new URL('../../docs/reference/queries.md', import.meta.url), 'utf8');
const queries = [...page.matchAll(/^## (.*)\n\n```sql\n([^`]*)```/gm)].map(([, title = '', sql = '']) => ({
  title,
  sql,
}));

const server = sharedDatabases();
let db: Database;
let url: string;
let best: string[];
beforeAll(async () => {
  url = await server.createDatabase();
  db = openDatabase(url);
  const guessing = task('guessing', 'maximize', { baseline: { value: 0.25, standardError: 0 } });
  const batch = submission(null, (id) => [
    run(id, guessing, 'gpt4o2', 1),
    run(id, guessing, 'gpt4o2', 2),
    run(id, guessing, 'other', 1),
  ]);
  await db.intake.submit(batch);
  const [first, second, third] = batch.runs.map(({ runId }) => runId) as [string, string, string];
  best = [first, third];
  for (const [i, action] of ['ls', 'python train.py', 'validate', 'submit'].entries()) {
    await db.store.saveAction(first, i + 1, { response: '', thought: '', action, modelMs: 1 });
    await db.store.saveCommand(first, i + 1, {
      ...{ observation: '', exitCode: 0, timedOut: false, lost: false, outputBytes: 0, requested: null },
      ...{ workingDir: '/w', commandMs: 10 * (i + 1), toolState: null },
    });
  }
  await evaluate(db, first, 3, 'validate', 0.5);
  await evaluate(db, first, 4, 'submit', 0.75);
  await evaluate(db, third, 2, 'validate', 0.125);
  await evaluate(db, third, 3, 'submit', 500);
  await db.pool.query(`update runs set input_tokens = 100000, output_tokens = 2000, cost_usd = 0.3 where run_id = $1`, [
    first,
  ]);
  await db.store.finishRun(first, SUBMITTED);
  await db.store.finishRun(second, { endReason: 'max_steps', finalEvaluation: 'no_artefact', detail: null });
  await db.store.finishRun(third, SUBMITTED);
  await db.store.addEvent({ runId: second, batchId: null, kind: 'sandbox_lost', key: 'k', detail: 'd' });
});
afterAll(async () => {
  await db.close();
});

const expected: Record<string, () => unknown[][]> = {
  'How did the runs of each model end?': () => [
    ['gpt4o2', 'Evaluation', 1],
    ['gpt4o2', 'Success', 1],
    ['other', 'Success', 1],
  ],
  'How many have a score, and how many ended properly?': () => [
    ['gpt4o2', 2, 1, 0, 1],
    ['other', 1, 1, 0, 0],
  ],
  "What is each model's best score at each task, beside the starter's?": () => [
    ['guessing', 'gpt4o2', 0.75, 0.25, best[0]],
    ['guessing', 'other', 0.125, 0.25, best[1]],
  ],
  "How did a model's scores develop within its runs?": () => [
    ['gpt4o2', 1, 3, 'validate', 0.5],
    ['gpt4o2', 1, 4, 'submit', 0.75],
    ['other', 1, 2, 'validate', 0.125],
    ['other', 1, 3, 'submit', 500],
  ],
  'How many steps does it take to the first valid score?': () => [
    ['gpt4o2', 'guessing', 3, 1],
    ['other', 'guessing', 2, 1],
  ],
  'What do the models spend their steps on?': () =>
    ['Bash', 'Python', 'Submit', 'Validate'].map((category) => ['gpt4o2', category, 1, '25.0']),
  'What would the runs cost by one list of prices?': () => [
    ['gpt4o2', 2, '0.1350', '0.1500'],
    ['other', 1, null, '0.0000'],
  ],
  'Which runs are flagged, and why?': () => [
    ['other', 'guessing', 1, 'beyond_bounds', 3, '1 of 2 scores outside of what is possible, the first 500'],
  ],
  'Which runs tried to cheat?': () => [],
  'Which commands took longest?': () => [
    ['gpt4o2', 4, 40, 'submit'],
    ['gpt4o2', 3, 30, 'validate'],
  ],
  'What went wrong with the infrastructure?': () => [['sandbox_lost', 1, 1]],
};

describe('docs/reference/queries.md', () => {
  test('has eleven queries', () => {
    expect(queries.map(({ title }) => title)).toEqual(Object.keys(expected));
  });

  test('shows those that the page offers', () => {
    expect(queries.map(({ title, sql }) => ({ title, sql: sql.trimEnd() }))).toEqual(EXAMPLE_QUERIES);
  });

  test.each(queries)('$title', async ({ title, sql }) => {
    const { rows } = await runReadOnlyQuery(url, sql, { timeoutMs: 20_000 });
    expect(rows).toEqual(expected[title]?.());
  });
});
