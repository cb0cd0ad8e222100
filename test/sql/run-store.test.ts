import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import type { EventKind } from '../../domain/run/event-kinds.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import { newRunId } from '../../domain/ids.js';
import { SHARD_SIZE } from '../../domain/run/limits.js';
import type { ModelReply } from '../../domain/model/model.js';
import type { ObservedCommand } from '../../domain/run/run.js';
import { evaluate, oneRun, run, SUBMITTED, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 20 });
});
afterAll(async () => {
  await db.close();
});

const reply = (text: string, costUsd = '0.0125'): ModelReply => ({
  text,
  usage: {
    inputTokens: 100,
    outputTokens: 20,
    cachedTokens: 10,
    reasoningTokens: 5,
    cacheWriteTokens: 3,
    cacheWriteHourTokens: 2,
  },
  costUsd,
  finishReason: 'stop',
});
const request = {
  provider: 'scripted',
  model: 'm',
  messages: [{ role: 'user' as const, content: 'hello' }],
  reservedUsd: '0.25',
};
const command = (observation: string, more: Partial<ObservedCommand> = {}): ObservedCommand => ({
  observation,
  exitCode: 0,
  timedOut: false,
  lost: false,
  outputBytes: observation.length,
  requested: null,
  workingDir: '/home/agent/workspace',
  commandMs: 12.5,
  ...more,
});
const action = (text: string) => ({ response: `I do ${text}`, thought: 'I do', action: text, modelMs: 3.25 });
const times = <Value>(n: number, make: (i: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: n }, (_, i) => make(i)));

describe('definitions', () => {
  test('a definition is read back as it was submitted', async () => {
    const submitted = await oneRun(db);
    expect(await db.store.definition(submitted.runId)).toEqual({ ...submitted, memory: false });
  });

  test('a definition tells whether its batch verifies tasks', async () => {
    const { batch, runs } = submission(null, (id) => [run(id, task('t'), 'm', 1)]);
    await db.intake.submit({ batch: { ...batch, verification: true }, runs });
    expect(await db.store.definition(runs[0]!.runId)).toEqual({ ...runs[0], memory: false, verification: true });
  });

  test('a shard lists its unfinished runs in submission order, with the limits of their task', async () => {
    const spec = task('limits', 'maximize', {
      limits: { commandSeconds: 33, memoryMb: 4096, cpus: 2, pids: 512, workspaceMb: 20_480 },
    });
    const batch = submission(null, (id) =>
      Array.from({ length: SHARD_SIZE + 3 }, (_, i) => run(id, spec, `m${i % 3}`, Math.floor(i / 3) + 1)),
    );
    await db.intake.submit(batch);
    const { batchId } = batch.batch;
    await db.store.finishRun(batch.runs[1]?.runId ?? '', SUBMITTED);
    const first = await db.store.loadShard(batchId, 0);
    expect(first).toHaveLength(SHARD_SIZE - 1);
    expect(first[0]).toEqual({
      runId: batch.runs[0]?.runId,
      batchId,
      tokenLimit: 100_000,
      memory: false,
      snapshotEvery: 5,
      copiedSteps: 0,
      hiddenSplit: false,
      evaluatorGpu: false,
      asynchronous: false,
      program: false,
      search: false,
      node: false,
      endsBy: null,
      provider: 'scripted',
      gpus: 0,
      maxSteps: 50,
      commandSeconds: 33,
      evaluationSeconds: 77,
      wallSeconds: 0,
      priority: 3,
      backend: 'docker',
    });
    expect(first[1]?.runId).toBe(batch.runs[2]?.runId);
    expect((await db.store.loadShard(batchId, 1)).map(({ runId }) => runId)).toEqual(
      batch.runs.slice(SHARD_SIZE).map(({ runId }) => runId),
    );
    expect(await db.store.loadShard(batchId, 2)).toEqual([]);
  });

  test('a run that is not there is not_found, for every question about it', async () => {
    const nobody = 'r-nobody';
    const calls = [
      db.store.definition(nobody),
      db.store.workspace(nobody),
      db.store.runEnded(nobody),
      db.store.setStatus(nobody, 'running'),
      db.store.finishRun(nobody, SUBMITTED),
      db.store.evaluationNumber(nobody, 1, 'validate'),
      db.store.sandboxStarted(nobody, {
        epoch: 0,
        hostId: 'h',
        isolation: 'container',
        imageDigest: null,
        workspace: '/w',
      }),
      db.store.startBatch('b-nobody'),
    ];
    for (const outcome of await Promise.allSettled(calls))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'BenchError', type: 'not_found' } });
  });
});

describe('status', () => {
  test('an ended run stays ended, with its first end', async () => {
    const { runId } = await oneRun(db);
    await db.store.setStatus(runId, 'running');
    expect(await db.store.runEnded(runId)).toBe(false);
    await db.store.finishRun(runId, { endReason: 'max_steps', finalEvaluation: 'no_artefact', detail: null });
    await db.store.finishRun(runId, { endReason: 'infra_error', finalEvaluation: 'not_run', detail: 'late' });
    await db.store.setStatus(runId, 'running');
    await db.store.sandboxStarted(runId, {
      epoch: 9,
      hostId: 'late',
      isolation: 'none',
      imageDigest: null,
      workspace: '/late',
    });
    expect(await db.store.runEnded(runId)).toBe(true);
    expect(await db.queries.showRun(runId)).toMatchObject({
      status: 'ended',
      endReason: 'max_steps',
      finalEvaluation: 'no_artefact',
      exitStatus: 'submission_not_found (max_steps)',
      detail: null,
      epoch: 0,
      host: null,
    });
  });

  test('twenty ends at once leave one', async () => {
    const { runId } = await oneRun(db);
    const ends = ['submit', 'max_steps', 'cancelled', 'wall_time'] as const;
    await times<unknown>(20, (i) =>
      i % 5 === 4
        ? db.store.setStatus(runId, 'finishing')
        : db.store.finishRun(runId, { endReason: ends[i % 4] ?? 'submit', finalEvaluation: 'not_run', detail: `${i}` }),
    );
    const ended = await db.queries.showRun(runId);
    expect(ended.status).toBe('ended');
    expect(ended.endReason).toBe(ends[Number(ended.detail) % 4]);
  });

  test('a run cannot be set to ended without a reason', async () => {
    const { runId } = await oneRun(db);
    await expect(db.store.setStatus(runId, 'ended')).rejects.toThrow('finishRun');
  });

  test('the sandbox of a later epoch counts, that of an earlier one no more; the start time is the first', async () => {
    const { runId } = await oneRun(db);
    await expect(db.store.workspace(runId)).rejects.toThrow('has not been started');
    const at = { hostId: 'h1', isolation: 'container' as const, imageDigest: 'sha256:1' };
    await db.store.sandboxStarted(runId, { ...at, epoch: 1, workspace: '/one' });
    const { startedAt } = await db.queries.showRun(runId);
    await db.store.sandboxStarted(runId, { ...at, epoch: 2, workspace: '/two' });
    await db.store.sandboxStarted(runId, { ...at, epoch: 1, workspace: '/one' });
    expect(await db.store.workspace(runId)).toBe('/two');
    expect(await db.queries.showRun(runId)).toMatchObject({ epoch: 2, host: 'h1', startedAt, status: 'running' });
    // Placed again, after its host was lost: a late start there does not call the run running.
    await db.store.placeRun({ runId, epoch: 3, hostId: 'h2' });
    await db.store.sandboxStarted(runId, { ...at, epoch: 2, workspace: '/two' });
    expect(await db.queries.showRun(runId)).toMatchObject({ epoch: 3, host: 'h2', status: 'starting' });
  });

  test('a run that once had no isolation is never called isolated again', async () => {
    const { runId } = await oneRun(db);
    const at = { hostId: 'h1', imageDigest: null, workspace: '/w' };
    await db.store.sandboxStarted(runId, { ...at, epoch: 1, isolation: 'none' });
    await db.store.sandboxStarted(runId, { ...at, epoch: 2, isolation: 'container' });
    expect((await db.queries.showRun(runId)).isolation).toBe('none');
  });

  test('a batch starts once and ends once', async () => {
    const { batchId } = await oneRun(db);
    await db.store.startBatch(batchId);
    const started = await db.queries.findBatch(batchId);
    expect(started).toMatchObject({ status: 'running', endedAt: null });
    await db.store.startBatch(batchId);
    await db.store.finishBatch(batchId, 'cancelled');
    await db.store.finishBatch(batchId, 'ended');
    await db.store.startBatch(batchId);
    expect(await db.queries.findBatch(batchId)).toMatchObject({ status: 'cancelled', startedAt: started.startedAt });
  });
});

describe('steps', () => {
  test('the first action and the first outcome of a step stay', async () => {
    const { runId } = await oneRun(db);
    await db.store.saveAction(runId, 1, action('ls'));
    await db.store.saveAction(runId, 1, action('rm'));
    expect(await db.store.step(runId, 1)).toMatchObject({
      action: 'ls',
      observation: null,
      exitCode: null,
      modelMs: 3.25,
    });
    await db.store.saveCommand(runId, 1, command('file', { exitCode: 3, requested: 'validate', outputBytes: 5e9 }));
    await db.store.saveCommand(runId, 1, command('other'));
    const stored = {
      step: 1,
      response: 'I do ls',
      thought: 'I do',
      action: 'ls',
      observation: 'file',
      exitCode: 3,
      timedOut: false,
      lost: false,
      outputBytes: 5e9,
      requested: 'validate',
      workingDir: '/home/agent/workspace',
      commandMs: 12.5,
      modelMs: 3.25,
      toolState: null,
    };
    expect(await db.store.step(runId, 1)).toEqual(stored);
    expect(await db.queries.trajectory(runId)).toMatchObject([stored]);
    expect(await db.store.step(runId, 2)).toBeNull();
  });

  test('twenty writers of one step leave one action and one outcome', async () => {
    const { runId } = await oneRun(db);
    await times(20, (i) => db.store.saveAction(runId, 1, action(`echo ${i}`)));
    await times(20, (i) => db.store.saveCommand(runId, 1, command(`${i}`, { exitCode: i })));
    const step = await db.store.step(runId, 1);
    expect(step?.observation).toBe(String(step?.exitCode));
    expect((await db.queries.showRun(runId)).steps).toBe(1);
  });

  test('the step counter never goes back', async () => {
    const { runId } = await oneRun(db);
    for (const step of [1, 2, 3]) await db.store.saveAction(runId, step, action(`${step}`));
    await db.store.saveAction(runId, 2, action('again'));
    expect((await db.queries.showRun(runId)).steps).toBe(3);
    expect((await db.queries.trajectory(runId)).map(({ action: text }) => text)).toEqual(['1', '2', '3']);
  });

  test('a step that could not be parsed has no action; a command without its step is refused', async () => {
    const { runId } = await oneRun(db);
    await db.store.saveAction(runId, 1, { response: 'blah', thought: '', action: null, modelMs: 1 });
    expect(await db.store.step(runId, 1)).toMatchObject({ response: 'blah', action: null });
    await expect(db.store.saveCommand(runId, 2, command('x'))).rejects.toThrow('without an action');
  });

  test('any output can be stored: NUL bytes, lone surrogates, megabytes', async () => {
    const { runId } = await oneRun(db);
    await db.store.saveAction(runId, 1, action('cat \0 \uD800'));
    const big = 'äx\0'.repeat(500_000);
    await db.store.saveCommand(runId, 1, command(big));
    expect((await db.store.step(runId, 1))?.observation).toBe(big.replaceAll('\0', '\uFFFD'));
  });
});

describe('model calls', () => {
  const keyOf = (runId: string, attempt = 0) => ({ runId, step: 1, try: attempt });

  test('a stored answer is returned, not asked for again', async () => {
    const { runId } = await oneRun(db);
    expect(await db.store.storedAnswer(keyOf(runId))).toBeNull();
    expect(await db.store.reserveCall(keyOf(runId), request)).toMatchObject({ kind: 'reserved', earlierAttempts: 0 });
    expect(await db.store.storedAnswer(keyOf(runId))).toBeNull();
    await db.store.settleCall(keyOf(runId), reply('hi'), 7.5);
    expect(await db.store.storedAnswer(keyOf(runId))).toEqual({ reply: reply('hi'), ms: 7.5 });
    expect(await db.store.storedAnswer(keyOf(runId, 1))).toBeNull();
    expect(await db.store.reserveCall(keyOf(runId), request)).toEqual({ kind: 'stored', reply: reply('hi'), ms: 7.5 });
    expect(await db.store.reserveCall(keyOf(runId, 1), request)).toMatchObject({
      kind: 'reserved',
      earlierAttempts: 0,
    });
  });

  test('an answer that was settled twenty times at once is counted once', async () => {
    const { runId } = await oneRun(db);
    await db.store.reserveCall(keyOf(runId), request);
    await times(20, (i) => db.store.settleCall(keyOf(runId), reply(`answer ${i}`, '0.1'), i));
    expect(await db.queries.showRun(runId)).toMatchObject({
      costUsd: '0.1',
      usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 10, reasoningTokens: 5 },
      modelCalls: 1,
    });
  });

  test('costs add up exactly over many calls at once', async () => {
    const { runId } = await oneRun(db);
    await times(30, async (i) => {
      const key = { runId, step: i + 1, try: 0 };
      await db.store.reserveCall(key, request);
      await times(3, () => db.store.settleCall(key, reply('x', '0.0000001'), 1));
    });
    expect(await db.queries.showRun(runId)).toMatchObject({ costUsd: '0.000003', usage: { inputTokens: 3000 } });
  });

  test('a call that was cut off is known as such, and its late answer is counted once', async () => {
    const { runId } = await oneRun(db);
    await db.store.reserveCall(keyOf(runId), request);
    expect(await db.store.reserveCall(keyOf(runId), request)).toMatchObject({ kind: 'reserved', earlierAttempts: 1 });
    expect(await db.store.reserveCall(keyOf(runId), request)).toMatchObject({ kind: 'reserved', earlierAttempts: 2 });
    await Promise.all([
      db.store.settleCall(keyOf(runId), reply('first'), 1),
      db.store.settleCall(keyOf(runId), reply('second'), 1),
    ]);
    const rows = await db.pool.query<{ status: string }>(
      'select status from model_calls where run_id = $1 order by attempt',
      [runId],
    );
    expect(rows.rows.map(({ status }) => status)).toEqual(['unconfirmed', 'unconfirmed', 'confirmed']);
    expect((await db.queries.showRun(runId)).usage.inputTokens).toBe(100);
  });

  test('calls whose answer was lost count as their reservation, apart from the ledger; refused ones count nothing', async () => {
    const { runId } = await oneRun(db);
    await db.store.reserveCall(keyOf(runId), request);
    expect(await db.store.spending(runId)).toEqual({ confirmedUsd: '0', unconfirmedUsd: '0.25', tokens: 0 });
    await db.store.failCall(keyOf(runId), 'connection_cut', 'unknown');
    await db.store.reserveCall(keyOf(runId), request);
    await db.store.failCall(keyOf(runId), 'rate_limited', 'no');
    await db.store.reserveCall(keyOf(runId), request);
    await db.store.settleCall(keyOf(runId), reply('hi', '0.1'), 1);
    expect(await db.store.spending(runId)).toEqual({ confirmedUsd: '0.1', unconfirmedUsd: '0.25', tokens: 120 });
  });

  test('lost answers of a run that the budget ended count for the run that goes on for it; those of a failed one do not', async () => {
    const first = await oneRun(db);
    const next = async (before: SubmittedRun, endReason: 'budget' | 'infra_error') => {
      await db.store.reserveCall(keyOf(before.runId), request);
      await db.store.failCall(keyOf(before.runId), 'timeout', 'unknown');
      await db.store.finishRun(before.runId, { endReason, finalEvaluation: 'not_run', detail: null });
      const after = { ...before, runId: newRunId(), replaces: before.runId };
      await db.intake.append(before.batchId, [after], 'test');
      return after;
    };
    const lost = async ({ runId }: SubmittedRun) => (await db.store.spending(runId)).unconfirmedUsd;
    const second = await next(first, 'budget');
    expect(await lost(second)).toBe('0.25');
    const third = await next(second, 'budget');
    expect(await lost(third)).toBe('0.5');
    const repeatedFromTheBeginning = await next(third, 'infra_error');
    expect(await lost(repeatedFromTheBeginning)).toBe('0');
  });

  test('twenty reservations at once all get an attempt of their own', async () => {
    const { runId } = await oneRun(db);
    const reserved = await times(20, () => db.store.reserveCall(keyOf(runId), request));
    expect(reserved.every(({ kind }) => kind === 'reserved')).toBe(true);
    const { rows } = await db.pool.query<{ attempts: number; open: number }>(
      `select count(*)::int as attempts, count(*) filter (where status = 'reserved')::int as open
       from model_calls where run_id = $1`,
      [runId],
    );
    expect(rows[0]?.attempts).toBe(20);
  });

  test('a failed call keeps its error, does not count as cut off, and never overwrites an answer', async () => {
    const { runId } = await oneRun(db);
    await db.store.reserveCall(keyOf(runId), request);
    await db.store.failCall(keyOf(runId), 'RateLimited', 'no');
    await db.store.failCall(keyOf(runId), 'Other', 'no');
    expect(await db.store.reserveCall(keyOf(runId), request)).toMatchObject({ kind: 'reserved', earlierAttempts: 0 });
    await db.store.settleCall(keyOf(runId), reply('hi'), 1);
    await db.store.failCall(keyOf(runId), 'TooLate', 'no');
    const { rows } = await db.pool.query('select status, error from model_calls where run_id = $1 order by attempt', [
      runId,
    ]);
    expect(rows).toEqual([
      { status: 'failed', error: 'RateLimited' },
      { status: 'confirmed', error: null },
    ]);
  });

  test('an answer without a reservation is refused', async () => {
    const { runId } = await oneRun(db);
    await expect(db.store.settleCall(keyOf(runId), reply('x'), 1)).rejects.toThrow('never reserved');
  });
});

describe('evaluations', () => {
  test('evaluations are numbered in order, and a repeated one keeps its number', async () => {
    const { runId } = await oneRun(db);
    expect(await db.store.evaluationNumber(runId, 3, 'validate')).toBe(1);
    expect(await db.store.evaluationNumber(runId, 5, 'validate')).toBe(2);
    expect(await db.store.evaluationNumber(runId, 3, 'validate')).toBe(1);
    expect(await db.store.evaluationNumber(runId, 5, 'submit')).toBe(3);
    expect(await db.store.evaluation(runId, 3, 'validate')).toBeNull();
  });

  test('numbers asked for at once are all different, and the same for the same evaluation', async () => {
    const { runId } = await oneRun(db);
    const numbers = await times(20, (i) => db.store.evaluationNumber(runId, i % 10, 'validate'));
    expect(numbers.slice(0, 10)).toEqual(numbers.slice(10));
    expect([...numbers.slice(0, 10)].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('the submission that was taken with a command stays, and none is kept of a sandbox that the run has left', async () => {
    const { runId } = await oneRun(db);
    await db.store.saveAction(runId, 1, action('validate'));
    expect(await db.store.takenSubmission(runId, 1, 'validate')).toBeNull();
    const files = { kind: 'files' as const, sha256: 'a'.repeat(64) };
    await times(5, () =>
      db.store.saveCommand(runId, 1, command('x', { requested: 'validate' }), { epoch: 1, submission: files }),
    );
    const missing = { kind: 'missing' as const, paths: ['answer.py', 'a\0b'] };
    await db.store.saveTakenSubmission(runId, 1, 'validate', missing, 1);
    expect(await db.store.takenSubmission(runId, 1, 'validate')).toEqual(files);
    await db.store.beginEpoch(runId, 2, 'h');
    const refused = { kind: 'refused' as const, reason: 'answer.py is a link, not a regular file' };
    await db.store.saveTakenSubmission(runId, 2, 'forced', refused, 1);
    expect(await db.store.takenSubmission(runId, 2, 'forced')).toBeNull();
    await times(5, () => db.store.saveTakenSubmission(runId, 2, 'forced', refused, 2));
    expect(await db.store.takenSubmission(runId, 2, 'forced')).toEqual(refused);
    // Its files are gone: what was taken in their place stays.
    const again = { kind: 'files' as const, sha256: 'b'.repeat(64) };
    await times(3, () => db.store.saveTakenSubmission(runId, 1, 'validate', again, 2, files.sha256));
    await db.store.saveTakenSubmission(runId, 1, 'validate', { ...again, sha256: 'c'.repeat(64) }, 2, files.sha256);
    expect(await db.store.takenSubmission(runId, 1, 'validate')).toEqual(again);
    await db.store.saveTakenSubmission(runId, 3, 'forced', missing, 2);
    expect(await db.store.takenSubmission(runId, 3, 'forced')).toMatchObject({
      kind: 'missing',
      paths: ['answer.py', expect.any(String)],
    });
  });

  test('the first result stays, and its message is shown to the agent once', async () => {
    const { runId } = await oneRun(db);
    await db.store.saveAction(runId, 1, action('validate'));
    await db.store.saveCommand(runId, 1, command('checking', { requested: 'validate' }));
    await times(10, () => evaluate(db, runId, 1, 'validate', 0.5));
    await evaluate(db, runId, 1, 'validate', 0.9);
    expect((await db.store.step(runId, 1))?.observation).toBe('checking\nscore: 0.5');
    expect(await db.store.evaluation(runId, 1, 'validate')).toEqual({
      runId,
      step: 1,
      kind: 'validate',
      status: 'ok',
      metrics: { score: 0.5 },
      primary: 0.5,
      suspect: false,
      message: 'score: 0.5',
      submissionSha256: null,
      ms: 1.5,
    });
    expect((await db.queries.showRun(runId)).bestScore).toBe(0.5);
  });

  test('a failed validate tells the agent why; a submit says nothing', async () => {
    const { runId } = await oneRun(db);
    await db.store.saveAction(runId, 1, action('validate'));
    await db.store.saveCommand(runId, 1, command(''));
    await evaluate(db, runId, 1, 'validate', 'rejected');
    await db.store.saveAction(runId, 2, action('submit'));
    await db.store.saveCommand(runId, 2, command('bye'));
    await evaluate(db, runId, 2, 'submit', 0.25);
    expect((await db.queries.trajectory(runId)).map(({ observation }) => observation)).toEqual(['rejected', 'bye']);
  });

  test('the best score follows the direction, the final score comes from submit or a forced end', async () => {
    for (const [direction, best] of [
      ['maximize', 9],
      ['minimize', 2],
    ] as const) {
      const { runId } = await oneRun(db, task(`best-${direction}`, direction));
      await evaluate(db, runId, 1, 'validate', 5);
      await evaluate(db, runId, 2, 'validate', 9);
      await evaluate(db, runId, 3, 'validate', 2);
      await evaluate(db, runId, 4, 'validate', 'evaluator_error');
      expect(await db.queries.showRun(runId)).toMatchObject({ bestScore: best, finalScore: null });
      await evaluate(db, runId, 5, 'forced', 4);
      expect(await db.queries.showRun(runId)).toMatchObject({ bestScore: best, finalScore: 4, evaluations: 5 });
    }
  });

  test('a failed final evaluation leaves no final score', async () => {
    const { runId } = await oneRun(db);
    await evaluate(db, runId, 1, 'validate', 5);
    await evaluate(db, runId, 2, 'submit', 'no_artefact');
    expect(await db.queries.showRun(runId)).toMatchObject({ bestScore: 5, finalScore: null });
  });

  test("what an evaluator died of is kept for the task's author, beside what the agent was told", async () => {
    const { runId } = await oneRun(db);
    const died = (step: number, key: string, detail: string) =>
      evaluate(db, runId, step, 'validate', 'evaluator_error', { events: [{ kind: 'evaluator_error', key, detail }] });
    await died(1, '1-validate', "referee.py:41: KeyError: 'id'\nTraceback (most recent call last): …");
    await died(2, '2-validate-test', 'test: referee.py:7: OSError: gone\nTraceback …');
    await evaluate(db, runId, 3, 'validate', 5);
    await evaluate(db, runId, 4, 'validate', 'evaluator_error');
    expect((await db.queries.showRun(runId)).evaluationList.map(({ fault }) => fault)).toEqual([
      "referee.py:41: KeyError: 'id'",
      'referee.py:7: OSError: gone',
      null,
      null,
    ]);
    for (const { observation } of await db.queries.trajectory(runId)) expect(observation).not.toContain('referee.py');
  });

  test('an evaluation that arrives after the end of its run changes no score', async () => {
    const { runId } = await oneRun(db);
    await evaluate(db, runId, 1, 'validate', 5);
    await db.store.finishRun(runId, { endReason: 'wall_time', finalEvaluation: 'not_run', detail: null });
    await evaluate(db, runId, 2, 'forced', 99);
    expect(await db.queries.showRun(runId)).toMatchObject({ bestScore: 5, finalScore: null, evaluations: 1 });
  });

  test('the score of the untouched starter is not one of the run', async () => {
    const { runId } = await oneRun(db);
    await evaluate(db, runId, 0, 'baseline', 50);
    expect(await db.queries.showRun(runId)).toMatchObject({ bestScore: null, finalScore: null });
  });

  test('a score that is no number is no score', async () => {
    const { runId } = await oneRun(db);
    await evaluate(db, runId, 1, 'validate', NaN, { metrics: {} });
    await evaluate(db, runId, 2, 'validate', Infinity, { metrics: {} });
    expect((await db.queries.showRun(runId)).bestScore).toBeNull();
  });
});

describe('events, hosts and leases', () => {
  test('what befell a call, a command or an evaluation is written with its row, once, or not at all', async () => {
    const { runId, batchId } = await oneRun(db);
    const fault = (kind: EventKind) => ({ kind, key: `${kind}-1`, detail: `${kind} \0 "so"` });
    const call = { runId, step: 1, try: 0 };
    await db.store.reserveCall(call, request);
    await times(3, () => db.store.failCall(call, 'overloaded', 'no', { event: fault('provider_error') }));
    await db.store.saveAction(runId, 1, action('validate'));
    const lost = [fault('sandbox_restarted'), fault('command_lost')];
    await times(3, () => db.store.saveCommand(runId, 1, command('x'), { events: lost }));
    await db.store.saveCommand(runId, 1, command('y'), { events: [fault('sandbox_reaped')] });
    await times(3, () => evaluate(db, runId, 1, 'validate', 'evaluator_error', { events: [fault('evaluator_error')] }));
    const known: EventKind[] = ['provider_error', 'sandbox_restarted', 'command_lost', 'evaluator_error'];
    expect(await db.queries.events({ runId })).toMatchObject(
      known.map((kind) => ({ runId, batchId, kind, detail: `${kind} \uFFFD "so"` })),
    );
  });

  test('commands in which a process met the memory limit are counted with their run', async () => {
    const { runId } = await oneRun(db);
    expect((await db.queries.showRun(runId)).outOfMemory).toBe(0);
    const told = { runId, batchId: null, kind: 'agent_out_of_memory', detail: 'a process was killed' } as const;
    for (const key of ['memory-1', 'memory-1', 'memory-4']) await db.store.addEvent({ ...told, key });
    expect((await db.queries.showRun(runId)).outOfMemory).toBe(2);
  });

  test('a repeated event is one row, per run, per batch, and for neither', async () => {
    const { runId, batchId } = await oneRun(db);
    const other = await oneRun(db);
    const event = { kind: 'sandbox_lost' as const, key: 'k', detail: 'gone' };
    await times(10, () => db.store.addEvent({ ...event, runId, batchId: null }));
    await db.store.addEvent({ ...event, runId: other.runId, batchId: other.batchId });
    await times(3, () => db.store.addEvent({ ...event, runId: null, batchId }));
    await times(3, () => db.store.addEvent({ ...event, runId: null, batchId: null }));
    expect(await db.queries.events({ runId })).toMatchObject([
      { runId, batchId, kind: 'sandbox_lost', detail: 'gone' },
    ]);
    expect(await db.queries.events({ batchId })).toHaveLength(2);
  });

  test('a GPU has one holder at a time', async () => {
    const [a, b] = [await oneRun(db), await oneRun(db)];
    const lease = { hostId: 'gpu-host', devices: ['0', '1'] };
    await db.store.recordLease({ ...lease, runId: a.runId, token: 1 });
    await db.store.recordLease({ ...lease, runId: a.runId, token: 1 });
    const second = { hostId: 'gpu-host', devices: ['2', '1'], runId: b.runId, token: 2 };
    await expect(db.store.recordLease(second)).rejects.toMatchObject({ constraint: 'leases_one_holder' });
    expect(await db.queries.leases()).toHaveLength(2);
    await db.store.recordLease({ ...second, hostId: 'other-host' });
    await db.store.releaseLease(a.runId, 1);
    await db.store.recordLease({ ...second, token: 3 });
    // A late repetition of the first grant does not take the GPU back.
    await db.store.recordLease({ ...lease, runId: a.runId, token: 1 });
    expect((await db.queries.leases()).filter(({ hostId }) => hostId === 'gpu-host').map((l) => l.runId)).toEqual([
      b.runId,
      b.runId,
    ]);
    await Promise.all([2, 3].map((token) => db.store.releaseLease(b.runId, token)));
    expect(await db.queries.leases()).toEqual([]);
    expect((await db.queries.leases({ includeReleased: true })).length).toBe(6);
  });

  test('of twenty that want one GPU at once, one gets it', async () => {
    const wanting = await times(20, () => oneRun(db));
    const outcomes = await Promise.allSettled(
      wanting.map(({ runId }, i) => db.store.recordLease({ runId, token: 100 + i, hostId: 'scarce', devices: ['0'] })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await db.queries.leases()).filter(({ hostId }) => hostId === 'scarce')).toHaveLength(1);
  });

  test('a host that registers again is the same host', async () => {
    const host = { hostId: 'h-reg', hostname: 'box', cpus: 2, memoryMb: 1000, gpus: ['0'], backends: ['local'] };
    await db.store.registerHost(host);
    await db.store.registerHost({ ...host, cpus: 4, gpus: [], backends: ['docker', 'local'] });
    expect((await db.queries.hosts()).filter(({ hostId }) => hostId === 'h-reg')).toMatchObject([
      { cpus: 4, gpus: [], backends: ['docker', 'local'], activeRuns: 0 },
    ]);
  });
});

describe('errors', () => {
  test('hold the state and the constraint, and nothing that was stored', async () => {
    const error = await db.store
      .addEvent({ runId: 'r-nobody', batchId: null, kind: 'run_forked', key: 'top secret', detail: 'top secret' })
      .then(() => undefined)
      .catch((e: unknown) => e as Error);
    expect(error).toMatchObject({ name: 'DatabaseError', code: '23503' });
    expect(error?.message).toBe(
      'Postgres: addEvent failed: SQLSTATE 23503 (table events, constraint events_run_id_runs_run_id_fk)',
    );
    expect(error?.cause).toBeUndefined();
    expect(JSON.stringify({ ...error }) + String(error?.stack)).not.toContain('secret');
  });

  test('a bad value is not quoted', async () => {
    const { runId } = await oneRun(db);
    const error = await db.store
      .settleCall({ runId, step: 1, try: 0 }, { ...reply('x'), costUsd: 'secret-price' }, 1)
      .catch((e: unknown) => e as Error);
    expect(String(error)).toBe('DatabaseError: Postgres: settleCall failed: SQLSTATE 22P02');
  });
});
