import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import { forkOf } from '../../domain/run/fork.js';
import { evaluate, run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 4 });
});
afterAll(async () => {
  await db.close();
});

/** A run that has taken so many steps. */
async function aRun(steps: number, spec = task('t')): Promise<SubmittedRun> {
  const batch = submission(null, (id) => [run(id, spec, 'm', 2)]);
  await db.intake.submit(batch);
  const [origin] = batch.runs as [SubmittedRun];
  for (let step = 1; step <= steps; step++) {
    await db.store.saveAction(origin.runId, step, { response: 'r', thought: 't', action: `a${step}`, modelMs: 1 });
    await db.store.saveCommand(origin.runId, step, {
      observation: `o${step}`,
      exitCode: 0,
      timedOut: false,
      lost: false,
      outputBytes: 2,
      requested: null,
      workingDir: '/ws',
      commandMs: 1,
    });
  }
  return origin;
}
async function fork(origin: SubmittedRun, atStep: number, replaces: string | null = null): Promise<SubmittedRun> {
  const batch = submission(null, (batchId) => [{ ...forkOf(origin, { batchId, atStep }), replaces }]);
  await db.intake.submit(batch);
  return batch.runs[0] as SubmittedRun;
}
const snapshot = (runId: string, step: number, epoch: number, artifact: string) =>
  db.store.saveSnapshot({
    ...{ runId, step, epoch, artifact, bytes: 10, disk: null, diskHost: null },
    ...{ reason: 'interval', archiveWanted: false },
  });

test('of the snapshots at or before a step the last one counts, and of one step that of the last container', async () => {
  const { runId } = await aRun(0);
  await snapshot(runId, 5, 1, 'a');
  await snapshot(runId, 5, 2, 'b');
  await snapshot(runId, 5, 2, 'never');
  await snapshot(runId, 9, 2, 'c');
  expect(await db.store.snapshotAt(runId, 4)).toBeNull();
  expect(await db.store.snapshotAt(runId, 8)).toMatchObject({ step: 5, epoch: 2, artifact: 'b', bytes: 10 });
  await db.store.forgetSnapshot(runId, { step: 5, epoch: 2 });
  expect(await db.store.snapshotAt(runId, 8)).toMatchObject({ epoch: 1, artifact: 'a' });
  expect(await db.store.snapshotAt(runId, 9)).toMatchObject({ artifact: 'c' });
});

test('of a sandbox that the run has left no snapshot is kept, nor its archive', async () => {
  const { runId } = await aRun(0);
  await db.store.beginEpoch(runId, 2, 'h');
  await snapshot(runId, 5, 1, 'of-the-former');
  expect(await db.store.snapshotAt(runId, 9)).toBeNull();
  expect((await db.pool.query("select from artifacts where sha256 = 'of-the-former'")).rowCount).toBe(0);
  await snapshot(runId, 5, 2, 'of-this-one');
  expect(await db.store.snapshotAt(runId, 9)).toMatchObject({ artifact: 'of-this-one' });
});

test('a kept disk is known as one host’s until its archive is made, which then counts for forks too', async () => {
  const origin = await aRun(3);
  await db.store.registerHost({ hostId: 'keeper', hostname: 'k', cpus: 1, memoryMb: 1, gpus: [], backends: [] });
  const disk = `${origin.runId}-2-1`;
  const kept = { step: 2, epoch: 1, artifact: null, bytes: null, disk, diskHost: 'keeper' };
  for (let times = 0; times < 2; times++)
    await db.store.saveSnapshot({ runId: origin.runId, ...kept, reason: 'validate', archiveWanted: false });
  expect(await db.store.snapshotAt(origin.runId, 3)).toEqual(kept);
  const copy = await fork(origin, 3);
  expect(await db.store.snapshotAt(copy.runId, 3)).toEqual({ ...kept, epoch: 0 });
  expect(await db.store.archivesWanted('keeper')).toEqual([]);
  expect(await db.store.archiveOf(disk)).toBe('refused');

  await db.store.wantArchive(disk);
  expect(await db.store.archivesWanted('keeper')).toMatchObject([{ step: 2, disk }]);
  expect(await db.store.archivesWanted('another')).toEqual([]);
  await db.store.refuseArchive(disk);
  expect(await db.store.archiveOf(disk)).toBe('refused');
  await db.store.wantArchive(disk);
  expect(await db.store.archiveOf(disk)).toBe('wanted');
  // Without an archive its row is all there is of it.
  await db.store.forgetDisk(disk);
  expect(await db.store.snapshotAt(copy.runId, 3)).toMatchObject({ disk, artifact: null });
  for (let times = 0; times < 2; times++) await db.store.saveArchive(disk, { sha256: 'of-the-disk', bytes: 7 });
  for (const [runId, epoch] of [
    [origin.runId, 1],
    [copy.runId, 0],
  ] as const)
    expect(await db.store.snapshotAt(runId, 3)).toEqual({ ...kept, epoch, artifact: 'of-the-disk', bytes: 7 });
  expect(await db.store.archiveOf(disk)).toBe('made');
  expect(await db.store.archivesWanted('keeper')).toEqual([]);
  await db.store.forgetDisk(disk);
  expect(await db.store.snapshotAt(copy.runId, 3)).toMatchObject({
    disk: null,
    diskHost: null,
    artifact: 'of-the-disk',
  });
});

test('a fork has the steps, evaluations and snapshots up to its step, and nothing else of the run', async () => {
  const origin = await aRun(4);
  await evaluate(db, origin.runId, 1, 'validate', 3);
  await evaluate(db, origin.runId, 2, 'validate', 1);
  await evaluate(db, origin.runId, 4, 'submit', 9);
  for (const [step, epoch] of [
    [1, 1],
    [2, 1],
    [2, 2],
    [4, 2],
  ] as const)
    await snapshot(origin.runId, step, epoch, `s${step}-${epoch}`);
  const copy = await fork(origin, 3);
  expect((await db.queries.trajectory(copy.runId)).map((step) => step.action)).toEqual(['a1', 'a2', 'a3']);
  expect(await db.queries.showRun(copy.runId)).toMatchObject({
    forkedFrom: origin.runId,
    forkedAtStep: 3,
    steps: 3,
    bestScore: 3,
    finalScore: null,
    costUsd: '0',
    attempt: 2,
    evaluationList: [
      { step: 1, number: 1, primary: 3 },
      { step: 2, number: 2, primary: 1 },
    ],
  });
  expect(await db.store.evaluationNumber(copy.runId, 4, 'validate')).toBe(3);
  expect(await db.store.snapshotAt(copy.runId, 50)).toMatchObject({ step: 2, epoch: 0, artifact: 's2-2', bytes: 10 });
  expect(await db.store.definition(copy.runId)).toMatchObject({ forkedFrom: { runId: origin.runId, step: 3 } });
  expect(await db.store.loadShard(copy.batchId, 0)).toMatchObject([{ copiedSteps: 3, snapshotEvery: 5 }]);
});

test('a fork at a step that is not over is refused, and nothing is stored', async () => {
  const origin = await aRun(2);
  await db.store.saveAction(origin.runId, 3, { response: 'r', thought: 't', action: 'a3', modelMs: 1 });
  await expect(fork(origin, 3)).rejects.toThrow(`run ${origin.runId} has not completed step 3, only 2`);
  await expect(fork({ ...origin, runId: 'r-unknown' }, 1)).rejects.toThrow(
    /forks a run that is missing in the database/,
  );
});

test('forks count in the leaderboard of their own batch alone, unless they replace their run', async () => {
  const origin = await aRun(1, task('ranked'));
  await evaluate(db, origin.runId, 1, 'validate', 1);
  const copy = await fork(origin, 1);
  const attempts = async (batchId?: string): Promise<number> => {
    const { rows } = await db.queries.leaderboard({ tasks: ['ranked'], batchId });
    return rows[0]?.attempts ?? 0;
  };
  expect([await attempts(), await attempts(origin.batchId), await attempts(copy.batchId)]).toEqual([1, 1, 1]);
  await fork(origin, 1, origin.runId);
  expect(await attempts()).toBe(2);
});

test('of valid submissions that were validated the last or the best is found, in the task’s direction', async () => {
  const play = async (direction: 'maximize' | 'minimize') => {
    const origin = await aRun(5, task(`forced-${direction}`, direction));
    expect(await db.store.validSubmission(origin.runId, 'best')).toBeNull();
    const scores = [2, 5, 'rejected', 3, 90] as const;
    for (const [i, score] of scores.entries())
      await evaluate(db, origin.runId, i + 1, 'validate', score, {
        submissionSha256: `sha-${i + 1}`,
        // Beyond its bounds.
        suspect: score === 90,
      });
    return [await db.store.validSubmission(origin.runId, 'last'), await db.store.validSubmission(origin.runId, 'best')];
  };
  const [fourth, second, first] = [4, 2, 1].map((step) => ({ step, submissionSha256: `sha-${step}` }));
  expect(await play('maximize')).toEqual([fourth, second]);
  expect(await play('minimize')).toEqual([fourth, first]);
});

test('reasoning is stored with its reply and its step, and a fork begins with it', async () => {
  const origin = await aRun(0);
  const key = { runId: origin.runId, step: 1, try: 0 };
  const reasoning = '{"provider":"p","model":"m","message":{"b":1,"a":"\\u0000"}}';
  await db.store.reserveCall(key, { provider: 'p', model: 'm', messages: [], reservedUsd: '0' });
  const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 };
  await db.store.settleCall(key, { text: '', usage, costUsd: '0', finishReason: 'refusal', reasoning }, 1);
  expect((await db.store.storedAnswer(key))?.reply).toMatchObject({ reasoning });
  const observed = { observation: 'o', exitCode: 0, timedOut: false, lost: false, outputBytes: 1, requested: null };
  await db.store.saveAction(origin.runId, 1, { response: 'r', reasoning, thought: 't', action: 'a', modelMs: 1 });
  await db.store.saveCommand(origin.runId, 1, { ...observed, workingDir: '/ws', commandMs: 1 });
  const { runId } = await fork(origin, 1);
  const shown = await db.store.shownSteps(runId, { after: 0, through: 1 }).next();
  expect(shown.value).toMatchObject([{ step: 1, reasoning, refused: false }]);
});

test('a step without an action ended by refusal if its last reply was one', async () => {
  for (const [finishReason, refused] of [
    ['refusal', true],
    ['stop', false],
  ] as const) {
    const { runId } = await aRun(0);
    const key = { runId, step: 1, try: 0 };
    await db.store.reserveCall(key, { provider: 'p', model: 'm', messages: [], reservedUsd: '0' });
    const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 };
    await db.store.settleCall(key, { text: 'no', usage, costUsd: '0', finishReason }, 1);
    await db.store.saveAction(runId, 1, { response: 'no', thought: '', action: null, modelMs: 1 });
    const shown = await db.store.shownSteps(runId, { after: 0, through: 1 }).next();
    expect(shown.value).toMatchObject([{ action: null, refused }]);
  }
});

test('images are stored once a run, with the command that let the agent look, and go with a fork', async () => {
  const origin = await aRun(0);
  const image = (id: string) => ({
    id: id.repeat(16),
    type: 'image/png' as const,
    bytes: Buffer.from([0, 255, 92, 39]),
  });
  for (const [step, images] of [[image('a')], [image('a'), image('b')]].entries()) {
    await db.store.saveAction(origin.runId, step + 1, { response: 'r', thought: 't', action: 'a', modelMs: 1 });
    const saved = {
      ...{ observation: 'o', exitCode: 0, timedOut: false, lost: false, outputBytes: 1, requested: null },
      ...{ workingDir: '/ws', commandMs: 1, images },
    };
    await db.store.saveCommand(origin.runId, step + 1, saved);
    // Another attempt changes nothing.
    await db.store.saveCommand(origin.runId, step + 1, { ...saved, images: [image('c')] });
  }
  const ids = ['a', 'b', 'c'].map((id) => id.repeat(16));
  const found = await db.store.images(origin.runId, ids);
  expect(found.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual([image('a'), image('b')]);
  const forked = await fork(origin, 1);
  expect(await db.store.images(forked.runId, ids)).toEqual([image('a')]);
  expect(await db.store.images((await aRun(0)).runId, ids)).toEqual([]);
});
