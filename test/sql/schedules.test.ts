import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase, readInstallation } from '../../db/index.js';
import { BenchError } from '../../domain/errors.js';
import { decideScheduled } from '../../operations/schedules/decide-scheduled.js';
import { submitScheduled, type SubmitScheduledPorts } from '../../operations/schedules/submit-scheduled.js';
import { evaluate, run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeEach(async () => {
  const url = await server.createDatabase();
  await readInstallation(url);
  db = openDatabase(url);
  await db.schedules.save({
    name: 'nightly',
    cron: '0 2 * * *',
    overlap: 'skip',
    request: { models: ['m'], tasks: ['t'] },
  });
});
afterEach(() => db.close());

const night = (day: number): string => new Date(Date.UTC(2026, 0, day, 2)).toISOString();
const batchName = (day: number): string => `nightly-202601${String(day).padStart(2, '0')}T020000Z`;

/** A batch of that night, whose eight attempts have this score; null: it plays. */
async function play(day: number, score: number | null, contract = 1): Promise<string> {
  const { batch, runs } = submission(batchName(day), (batchId) =>
    Array.from({ length: 8 }, (_, nth) => run(batchId, task('t', 'maximize', { contract }), 'm', nth + 1)),
  );
  await db.intake.submit({ batch, runs });
  await db.schedules.begin('nightly', night(day), batch.batchId);
  if (score !== null) await end(batch.batchId, score);
  return batch.batchId;
}

async function end(batchId: string, score: number): Promise<void> {
  const { runList } = await db.queries.batchStatus(batchId);
  for (const { runId } of runList) {
    await db.pool.query(
      `insert into steps (run_id, step, response, thought, action, observation, exit_code, output_bytes, requested, working_dir, command_ms, model_ms, executed_at)
       values ($1, 1, 'r', 't', 'submit', 'o', 0, 1, 'submit', '/home/agent/workspace', 1, 1, now())`,
      [runId],
    );
    await db.pool.query(
      `insert into model_calls (run_id, step, try, attempt, provider, model, request_hash, request_messages, status, input_tokens, output_tokens, cost_usd, ms)
       values ($1, 1, 1, 1, 'scripted', 'm', 'hash', 2, 'confirmed', 1, 1, 0, 1)`,
      [runId],
    );
    await evaluate(db, runId, 1, 'submit', score);
    await db.store.finishRun(runId, SUBMITTED);
  }
  await db.pool.query(`update batches set status = 'ended', ended_at = now() where batch_id = $1`, [batchId]);
}

const decide = (day: number) => decideScheduled(db, { schedule: 'nightly', dueAt: night(day) });
const outcomes = async () =>
  (await db.schedules.runs('nightly', 100)).toReversed().map(({ outcome, accepted }) => [outcome, accepted]);

describe('nights of a schedule', () => {
  test('are compared with the last accepted one; a worse one is notified of, once', async () => {
    await db.notifications.begin();
    const first = await play(1, 5);
    const playing = await play(2, null);
    expect([await decide(1), await decide(2)]).toEqual([{ decided: true }, { decided: false }]);
    await end(playing, 5);
    await decide(2);
    const bad = await play(3, 1);
    await decide(3);
    await decide(3);
    const last = await play(4, 9);
    await decide(4);
    expect(await outcomes()).toEqual([
      ['first', true],
      ['undecided', true],
      ['worse', false],
      ['better', true],
    ]);
    const runs = (await db.schedules.runs('nightly', 100)).toReversed();
    expect(runs.map(({ batchId, baseBatchId }) => [batchId, baseBatchId])).toEqual([
      [first, null],
      [playing, first],
      [bad, playing],
      [last, playing],
    ]);
    for (let look = 0; look < 2; look++) await db.notifications.collect({ kinds: ['regression'], stallSeconds: 3600 });
    expect(await db.notifications.take(10)).toMatchObject([
      { batchId: bad, kind: 'regression', detail: expect.stringContaining('is worse: win rate 0.00') as string },
    ]);
    await db.schedules.acceptLast('nightly');
    await play(5, 9, 2);
    await decide(5);
    expect((await outcomes()).at(-1)).toEqual(['first', true]);
  });

  test('that are cancelled, or have no run that counts, are not compared with', async () => {
    await play(1, 5);
    await decide(1);
    const cancelled = await play(2, null);
    await db.pool.query(`update batches set status = 'cancelled' where batch_id = $1`, [cancelled]);
    await decide(2);
    const lost = await play(3, 5);
    await db.pool.query(
      `update runs set end_reason = 'infra_error', final_evaluation = 'not_run' where batch_id = $1`,
      [lost],
    );
    await decide(3);
    expect(await outcomes()).toEqual([
      ['first', true],
      ['undecided', false],
      ['undecided', false],
    ]);
    await expect(db.schedules.acceptLast('weekly')).rejects.toThrow('no schedule "weekly"');
  });

  test('are submitted once, and a mistake is their outcome', async () => {
    const { batch, runs } = submission(batchName(1), (batchId) => [run(batchId, task('t'), 'm', 1)]);
    await db.intake.submit({ batch, runs });
    // The worker died before it noted the batch: the retry finds it, and plans nothing.
    const ports = db as unknown as SubmitScheduledPorts;
    const at = { schedule: 'nightly', dueAt: night(1) };
    expect(await submitScheduled(ports, at)).toEqual({ batchId: batch.batchId });
    expect(await submitScheduled(ports, at)).toEqual({ batchId: batch.batchId });
    const refusing = {
      ...db,
      settings: { configFolders: [] },
      notify: () => undefined,
    } as unknown as SubmitScheduledPorts;
    expect(await submitScheduled(refusing, { ...at, dueAt: night(2) })).toEqual({ batchId: null });
    expect(await outcomes()).toEqual([
      [null, false],
      ['failed', false],
    ]);
    expect(await submitScheduled(ports, { schedule: 'gone', dueAt: night(2) })).toEqual({ batchId: null });
    await db.schedules.remove('nightly');
    expect(await db.schedules.list()).toEqual([]);
    await expect(db.schedules.find('nightly')).rejects.toBeInstanceOf(BenchError);
  });

  test('of a schedule that is made again take no batch of the former one', async () => {
    await play(1, 5);
    await db.schedules.remove('nightly');
    await db.schedules.save({ name: 'nightly', cron: '0 3 * * *', overlap: 'skip', request: {} });
    expect(await db.schedules.due('nightly', night(1))).toMatchObject({ batchId: null, decided: false, base: null });
    await expect(
      db.schedules.save({ name: 'nightly', cron: '0 4 * * *', overlap: 'skip', request: {} }),
    ).rejects.toMatchObject({ type: 'conflict', code: 'schedule.name_taken' });
  });
});
