import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { newRunId } from '../../domain/ids.js';
import { SHARD_SIZE } from '../../domain/run/limits.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(async () => {
  await db.close();
});

const counts = async () =>
  (
    await db.pool.query<Record<string, number>>(`select (select count(*)::int from batches) as batches,
      (select count(*)::int from runs) as runs, (select count(*)::int from task_versions) as tasks,
      (select count(*)::int from agent_configs) as agents, (select count(*)::int from baselines) as baselines`)
  ).rows[0];

describe('submitting', () => {
  test('three thousand runs are stored in order, in shards of five hundred', async () => {
    const tasks = ['a', 'b', 'c'].map((id) =>
      task(`many-${id}`, 'maximize', { baseline: { value: 1, standardError: 0.1 } }),
    );
    const batch = submission('many', (id) =>
      Array.from({ length: 3000 }, (_, i) => run(id, tasks[i % 3] ?? task('x'), `m${i % 10}`, Math.floor(i / 30) + 1)),
    );
    await db.intake.submit(batch);
    expect(await db.queries.findBatch('many')).toMatchObject({
      runs: 3000,
      shards: 3000 / SHARD_SIZE,
      ended: 0,
      status: 'queued',
    });
    const report = await db.queries.batchStatus(batch.batch.batchId);
    expect(report.runList.map(({ runId }) => runId)).toEqual(batch.runs.map(({ runId }) => runId));
    expect(report.byStatus).toEqual({ queued: 3000 });
    expect(await db.store.loadShard(batch.batch.batchId, 5)).toHaveLength(SHARD_SIZE);
    const board = await db.queries.leaderboard({ batchId: batch.batch.batchId });
    expect(board.rows).toHaveLength(10);
    expect(board.rows[0]).toMatchObject({ attempts: 300, ended: 0 });
    expect(board.tasks[0]).toMatchObject({ baseline: 1 });
  });

  test('the same tasks and agents are stored once', async () => {
    const before = await counts();
    const spec = task('shared', 'maximize', { baseline: { value: 2, standardError: 0 } });
    const batches = Array.from({ length: 8 }, () => submission(null, (id) => [run(id, spec, 'm', 1)]));
    await Promise.all(batches.map((batch) => db.intake.submit(batch)));
    const after = await counts();
    expect(after?.['tasks']).toBe((before?.['tasks'] ?? 0) + 1);
    expect(after?.['baselines']).toBe((before?.['baselines'] ?? 0) + 1);
    expect(after?.['agents']).toBe(before?.['agents']);
  });

  test('a name is given once; the second batch leaves nothing behind', async () => {
    const batch = () => submission('taken', (id) => [run(id, task('only-in-taken'), 'm', 1)]);
    await db.intake.submit(batch());
    const before = await counts();
    await expect(
      db.intake.submit(submission('taken', (id) => [run(id, task('never-stored'), 'm', 1)])),
    ).rejects.toMatchObject({
      type: 'conflict',
      exitCode: 2,
      message: 'a batch named "taken" already exists',
      remedy: expect.stringContaining('another name') as string,
    });
    expect(await counts()).toEqual(before);
  });

  test('a batch that fails at its last run is not half written', async () => {
    const before = await counts();
    const spec = task('half');
    const twice = submission(null, (id) =>
      [...Array(1200).keys()].map((i) => run(id, spec, 'm', i === 1199 ? 1 : i + 1)),
    );
    await expect(db.intake.submit(twice)).rejects.toMatchObject({
      type: 'usage',
      message: expect.stringContaining('twice') as string,
    });
    expect(await counts()).toEqual(before);
  });

  test('a batch without runs, or one that repeats an unknown run, is refused', async () => {
    await expect(db.intake.submit(submission(null, () => []))).rejects.toMatchObject({ type: 'usage' });
    const orphan = submission(null, (id) => [{ ...run(id, task('o'), 'm', 1), replaces: newRunId() }]);
    await expect(db.intake.submit(orphan)).rejects.toMatchObject({ type: 'not_found' });
  });
});

describe('references', () => {
  test('without one, the latest batch is meant', async () => {
    const batch = submission('latest-one', (id) => [run(id, task('t'), 'm', 1)]);
    await db.intake.submit(batch);
    expect((await db.queries.findBatch(undefined)).batchId).toBe(batch.batch.batchId);
  });

  test('a batch is found by id, name, beginning or end; a run by id, beginning or end', async () => {
    const batch = submission('by-name', (id) => [run(id, task('t'), 'm', 1)]);
    await db.intake.submit(batch);
    const { batchId } = batch.batch;
    for (const ref of [batchId, batchId.toUpperCase(), 'by-name', batchId.slice(0, -1), batchId.slice(-8)])
      expect((await db.queries.findBatch(ref)).batchId).toBe(batchId);
    const runId = batch.runs[0]?.runId ?? '';
    for (const ref of [runId, runId.slice(-8), runId.slice(0, -1), runId.slice(2, -1)])
      expect((await db.queries.findRun(ref)).runId).toBe(runId);
  });

  test('an ambiguous one names its candidates, an unknown one the latest', async () => {
    await expect(db.queries.findBatch('b-')).rejects.toMatchObject({
      type: 'not_found',
      message: '"b-" matches more than one batch',
      remedy: expect.stringMatching(/Candidates: b-[^,]+( \([^)]+\))?, .*…/) as string,
    });
    await expect(db.queries.findBatch('no-such')).rejects.toMatchObject({
      type: 'not_found',
      exitCode: 2,
      remedy: expect.stringContaining('by-name') as string,
    });
    await expect(db.queries.findRun('r-')).rejects.toMatchObject({ message: '"r-" matches more than one run' });
    for (const ref of ['r-zzzz', '', '%', '_'])
      await expect(db.queries.findRun(ref)).rejects.toMatchObject({ message: `no run "${ref}"` });
  });

  test('an empty database says how to make a batch', async () => {
    const empty = openDatabase(await server.createDatabase());
    try {
      await expect(empty.queries.findBatch(undefined)).rejects.toMatchObject({ message: 'no batch yet' });
      expect(await empty.queries.unfinishedRuns()).toBe(0);
    } finally {
      await empty.close();
    }
  });

  test('a name that looks like the end of another id means the name', async () => {
    const other = submission(null, (id) => [run(id, task('t'), 'm', 1)]);
    await db.intake.submit(other);
    const name = other.batch.batchId.slice(-6);
    const named = submission(name, (id) => [run(id, task('t'), 'm', 1)]);
    await db.intake.submit(named);
    expect((await db.queries.findBatch(name)).batchId).toBe(named.batch.batchId);
  });
});

test('runs can be filtered, and the trajectory holds calls and evaluations', async () => {
  const batch = submission(null, (id) => [run(id, task('f1'), 'x', 1), run(id, task('f2'), 'y', 1)]);
  await db.intake.submit(batch);
  const [first, second] = batch.runs.map(({ runId }) => runId) as [string, string];
  const { batchId } = batch.batch;
  await db.store.finishRun(second, { endReason: 'infra_error', finalEvaluation: 'not_run', detail: 'disk\0full' });
  const found = async (filter: Parameters<typeof db.queries.listRuns>[0]) =>
    (await db.queries.listRuns({ batchId, ...filter })).map(({ runId }) => runId);
  expect(await found({})).toEqual([first, second]);
  expect(await found({ models: ['x'] })).toEqual([first]);
  expect(await found({ tasks: ['f2'] })).toEqual([second]);
  expect(await found({ statuses: ['queued'] })).toEqual([first]);
  expect(await found({ endReasons: ['infra_error'] })).toEqual([second]);
  expect(await found({ limit: 1 })).toEqual([first]);
  expect((await db.queries.showRun(second)).detail).toBe('disk\uFFFDfull');

  for (const step of [1, 2]) {
    await db.store.reserveCall(
      { runId: first, step, try: 0 },
      { provider: 'p', model: 'm', messages: [], reservedUsd: '0' },
    );
    await db.store.settleCall(
      { runId: first, step, try: 0 },
      {
        text: 'x',
        usage: { inputTokens: 10, outputTokens: step, cachedTokens: 0, reasoningTokens: 0 },
        costUsd: '0.25',
        finishReason: 'stop',
      },
      5,
    );
    await db.store.saveAction(first, step, { response: 'x', thought: '', action: 'validate', modelMs: 5 });
  }
  await db.store.saveEvaluation({
    runId: first,
    step: 2,
    kind: 'validate',
    status: 'ok',
    metrics: { score: 1 },
    primary: 1,
    suspect: false,
    message: 'good',
    submissionSha256: 'abc',
    ms: 2,
    evaluationNumber: 1,
    isolation: 'container',
  });
  const steps = await db.queries.trajectory(first);
  expect(steps).toMatchObject([
    { step: 1, costUsd: '0.25', inputTokens: 10, outputTokens: 1, evaluations: [] },
    {
      step: 2,
      outputTokens: 2,
      observation: 'good',
      evaluations: [{ number: 1, primary: 1, submissionSha256: 'abc' }],
    },
  ]);
  expect(await db.queries.trajectory(first, 1)).toEqual(steps.slice(1));
  expect(await db.queries.batchStatus(batchId)).toMatchObject({
    costUsd: '0.5',
    steps: 2,
    ended: 1,
    byEndReason: { infra_error: 1 },
  });
  expect(JSON.parse(JSON.stringify(steps))).toEqual(steps);
});
