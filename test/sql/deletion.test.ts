import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { TABLES_OF_RUNS } from '../../db/deletion.js';
import { archiveBatch, labelBatch, labelRun } from '../../operations/records/deletion/label.js';
import { evaluate, run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(() => db.close());

const spec = task('one', 'maximize', { baseline: { value: 1, standardError: 0 } });

async function played(name: string, { end = true } = {}) {
  const batch = submission(name, (batchId) => [1, 2].map((attempt) => run(batchId, spec, 'scripted:slow', attempt)));
  await db.intake.submit(batch);
  for (const { runId } of batch.runs) {
    await evaluate(db, runId, 1, 'submit', 2, { isolation: 'container' });
    if (end) await db.store.finishRun(runId, SUBMITTED);
  }
  if (end) await db.pool.query(`update batches set status = 'ended', ended_at = now() where name = $1`, [name]);
  return { batchId: batch.batch.batchId, runs: batch.runs };
}

test('every table that refers to runs is emptied, or empties itself', async () => {
  const { rows } = await db.pool.query<{ name: string }>(
    `select distinct c.conrelid::regclass::text as name from pg_constraint c
     where c.contype = 'f' and c.confrelid in ('runs'::regclass, 'episodes'::regclass) and c.confdeltype <> 'c'`,
  );
  const elsewhere = ['runs', 'trees', 'tree_nodes'];
  expect(
    rows
      .map(({ name }) => name)
      .filter((name) => !elsewhere.includes(name))
      .sort(),
  ).toEqual([...TABLES_OF_RUNS].filter((name) => rows.some((row) => row.name === name)).sort());
});

test('a batch of a schedule is deleted with its outcome', async () => {
  const [first, second] = [await played('night-1'), await played('night-2')];
  await db.schedules.save({ name: 'nightly', cron: '0 2 * * *', overlap: 'skip', request: {} });
  const at = (day: number): string => `2026-01-0${day}T02:00:00.000Z`;
  await db.schedules.begin('nightly', at(1), first.batchId);
  await db.schedules.begin('nightly', at(2), second.batchId);
  await db.schedules.decide('nightly', at(2), { outcome: 'better', accepted: true, base: first.batchId, detail: '' });
  await db.deletion.remove(await db.deletion.plan({ batchId: first.batchId }), first.batchId);
  expect(await db.schedules.runs('nightly', 9)).toMatchObject([{ batchId: second.batchId, baseBatchId: null }]);
});

test('a run is deleted with its rows, and its cost stays', async () => {
  const { runs, batchId } = await played('one-run');
  const [first, second] = runs.map(({ runId }) => runId) as [string, string];
  await db.pool.query('update runs set cost_usd = 0.25 where run_id = $1', [first]);
  const plan = await db.deletion.plan({ runIds: [first] });
  expect(plan).toEqual({ runIds: [first], batchIds: [] });
  expect(await db.deletion.count(plan)).toMatchObject({ runs: 1, evaluations: 1, costUsd: '0.25' });
  expect(await db.deletion.bytes(plan)).toEqual({ archives: [], disks: [], manifests: [] });
  await db.deletion.remove(plan, null);
  expect((await db.queries.listRuns({ batchId })).map(({ runId }) => runId)).toEqual([second]);
  const { rows } = await db.pool.query('select batch_id, cost_usd::text from deleted_runs where run_id = $1', [first]);
  expect(rows).toEqual([{ batch_id: batchId, cost_usd: '0.2500000000' }]);
  await expect(db.deletion.remove(plan, null)).rejects.toMatchObject({ code: 'run.in_use' });
});

test('a batch is deleted with its runs; one that has not ended, or whose run is forked, is refused', async () => {
  const { batchId, runs } = await played('whole');
  const { batchId: open } = await played('open', { end: false });
  await expect(db.deletion.plan({ batchId: open })).rejects.toMatchObject({
    message: expect.stringMatching(/has not ended, so it cannot be deleted$/) as string,
  });
  const { runs: others } = await played('forks');
  const fork = others[0]!.runId;
  await db.pool.query('update runs set forked_from = $2, forked_at_step = 1 where run_id = $1', [fork, runs[0]!.runId]);
  await expect(db.deletion.plan({ batchId })).rejects.toMatchObject({
    ...{ message: `run ${fork} forks run ${runs[0]!.runId}, so it cannot be deleted`, remedy: 'Delete both.' },
  });
  await db.pool.query('update runs set forked_from = null, forked_at_step = null where run_id = $1', [fork]);
  const plan = await db.deletion.plan({ batchId });
  await db.deletion.remove(plan, batchId);
  await expect(db.queries.findBatch(batchId)).rejects.toMatchObject({ code: 'batch.not_found' });
});

test('an archived batch leaves lists and leaderboards over all batches, and can be named', async () => {
  const { batchId } = await played('old');
  const rankedIn = async (): Promise<number> =>
    (await db.queries.leaderboard({ include: ['scripted'] })).rows[0]?.scores['one']?.attempts ?? 0;
  const before = await rankedIn();
  const { archivedAt } = await archiveBatch(db, batchId);
  expect(archivedAt).not.toBeNull();
  expect(await rankedIn()).toBe(before - 2);
  const listed = async (archived: boolean) =>
    (await db.queries.listBatches(100, { archived })).batches.map((batch) => batch.batchId);
  expect(await listed(false)).not.toContain(batchId);
  expect(await listed(true)).toContain(batchId);
  expect((await db.queries.leaderboard({ batchId, include: ['scripted'] })).rows).toHaveLength(1);
  await archiveBatch(db, batchId, { undo: true });
  expect(await rankedIn()).toBe(before);
});

test('notes and tags are kept, changed and found', async () => {
  const { batchId, runs } = await played('labelled');
  const { runId } = runs[0]!;
  expect(await labelBatch(db, batchId, { note: 'the old prompts', tag: ['paper', 'a'] })).toEqual({
    ...{ id: batchId, note: 'the old prompts', tags: ['a', 'paper'] },
  });
  expect(await labelBatch(db, batchId, { note: '', untag: ['a'] })).toMatchObject({ note: null, tags: ['paper'] });
  expect((await db.queries.listBatches(9, { tag: 'paper' })).batches.map((one) => one.batchId)).toEqual([batchId]);
  await labelRun(db, runId, { tag: ['odd'], note: 'looped' });
  expect((await db.queries.listRuns({ tag: 'odd' })).map((one) => one.runId)).toEqual([runId]);
  const found = await db.pages.runPage({ text: 'LOOPED', sort: 'createdAt', limit: 10 });
  expect(found.runs.map((one) => one.runId)).toEqual([runId]);
  await expect(labelRun(db, runId, { tag: ['two words'] })).rejects.toMatchObject({ type: 'usage' });
});
