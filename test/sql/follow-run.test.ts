import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunLog } from '../../cli/run-log.js';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { followRun } from '../../operations/results/follow-run.js';
import { evaluate, oneRun, SUBMITTED } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { captured } from '../unit/cli/fixtures.js';

const postgres = sharedDatabases();
let db: Database;
beforeAll(async () => {
  const url = await postgres.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 2 });
});
afterAll(() => db.close());

const STEPS = 50;

/** 50 steps, a minute each; an event in every tenth, and a validation after step 30. */
async function longRun(): Promise<string> {
  const { runId, batchId } = await oneRun(db);
  await db.pool.query(
    `insert into steps (run_id, step, response, thought, action, observation, exit_code, working_dir, created_at, executed_at)
     select $1, n, 'r', 't', 'ls', 'output ' || n, 0, '/ws', t, t from (
       select n, timestamptz '2026-01-01' + n * interval '1 minute' as t from generate_series(1, $2::int) n
     ) s`,
    [runId, STEPS],
  );
  await db.pool.query(
    `insert into events (run_id, batch_id, kind, key, detail, at)
     select $1, $2, 'sandbox_lost', 'k' || n, 'in step ' || n, timestamptz '2026-01-01 00:00:30' + n * interval '1 minute'
     from generate_series(10, $3::int, 10) n`,
    [runId, batchId, STEPS],
  );
  await evaluate(db, runId, 30, 'validate', 0.5);
  return runId;
}

async function followed(runId: string) {
  const ports = { queries: db.queries, reconnect: () => Promise.resolve() };
  const { output } = captured({ json: true });
  const log = new RunLog(output);
  const looks: { steps: number; isOver: boolean }[] = [];
  for await (const progress of followRun(ports, runId, { once: true, signal: new AbortController().signal })) {
    if (progress.kind !== 'look') continue;
    log.add(progress.steps, progress.events);
    looks.push({ steps: progress.steps.length, isOver: progress.isOver });
  }
  return { looks, entries: log.entries };
}

it('a long run is read some steps at a time, and told in time order', async () => {
  const { looks, entries } = await followed(await longRun());
  expect(Math.max(...looks.map(({ steps }) => steps))).toBeLessThan(STEPS / 2);
  expect(looks.some(({ isOver }) => isOver)).toBe(false);
  const inTime = entries.filter(({ kind }) => kind !== 'evaluation').map(({ at }) => at);
  expect(inTime).toEqual(inTime.toSorted());
  expect(entries.filter(({ kind }) => kind === 'observation').map(({ step }) => step)).toEqual(
    Array.from({ length: STEPS }, (_, i) => i + 1),
  );
  expect(entries.filter(({ kind }) => kind === 'event').map(({ text }) => text)).toEqual(
    [10, 20, 30, 40, 50].map((step) => `sandbox_lost: in step ${step}`),
  );
  expect(entries.filter(({ kind }) => kind === 'evaluation').map(({ step }) => step)).toEqual([30]);
});

it('the end of a run comes with its last steps', async () => {
  const runId = await longRun();
  await db.store.finishRun(runId, SUBMITTED);
  const { looks } = await followed(runId);
  expect(looks.map(({ isOver }) => isOver)).toEqual([...looks.slice(1).map(() => false), true]);
});
