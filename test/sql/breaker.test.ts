import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import type { RunEnd } from '../../domain/run/run.js';
import { evaluate, run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase(), { max: 24 });
});
afterAll(() => db.close());

const failed = (cause: RunEnd['cause'], more: Partial<RunEnd> = {}): RunEnd => ({
  ...{ endReason: 'infra_error', finalEvaluation: 'not_run', detail: 'nobody answers at 127.0.0.1:1' },
  ...(cause === undefined ? {} : { cause }),
  ...more,
});
const PROVIDER = failed('provider');

async function batchOf(runs: number, breaker: number | null = 5): Promise<{ batchId: string; runs: SubmittedRun[] }> {
  const made = submission(null, (id) => Array.from({ length: runs }, (_, i) => run(id, task('t'), 'm', i + 1)));
  await db.intake.submit({ ...made, batch: { ...made.batch, breaker } });
  await db.store.startBatch(made.batch.batchId);
  return { batchId: made.batch.batchId, runs: made.runs };
}

/** Ends the next runs of the batch, one after another. */
function endings({ runs }: { runs: SubmittedRun[] }): (...ends: RunEnd[]) => Promise<void> {
  const left = [...runs];
  return async (...ends) => {
    for (const end of ends) await db.store.finishRun(left.shift()!.runId, end);
  };
}
const times = (count: number, end: RunEnd): RunEnd[] => Array.from({ length: count }, () => end);
const stateOf = async (batchId: string) => {
  const { pausedAt, pauseReason } = await db.queries.findBatch(batchId);
  return { paused: pausedAt !== null, because: pauseReason };
};
const eventsOf = async (batchId: string): Promise<string[]> =>
  (
    await db.pool.query<{ detail: string }>(
      `select detail from events where batch_id = $1 and run_id is null and kind = 'batch_paused' order by at`,
      [batchId],
    )
  ).rows.map(({ detail }) => detail);
const BECAUSE = '5 runs in a row ended by a fault of the provider: nobody answers at 127.0.0.1:1';

describe('a batch whose runs end in a row by one cause', () => {
  test('pauses itself at the fifth and says why, once', async () => {
    const batch = await batchOf(8);
    const end = endings(batch);
    await end(...times(4, PROVIDER));
    expect(await stateOf(batch.batchId)).toEqual({ paused: false, because: null });
    // A wrong key ends runs as config_error: that is the same cause.
    await end(failed('provider', { endReason: 'config_error' }));
    expect(await stateOf(batch.batchId)).toEqual({ paused: true, because: BECAUSE });
    expect(await db.store.batchState(batch.batchId)).toMatchObject({ paused: true });
    expect(await eventsOf(batch.batchId)).toEqual([BECAUSE]);
    // Runs that were under way end too: nothing is said twice.
    await end(PROVIDER);
    expect(await eventsOf(batch.batchId)).toHaveLength(1);
  });

  test.each([
    ['that submits', SUBMITTED],
    ['of another cause', failed('engine')],
    ['without a known cause', failed(undefined)],
    ['that is cancelled', failed(undefined, { endReason: 'cancelled', detail: null })],
  ])('begins a new row after a run %s', async (_which, otherwise) => {
    const batch = await batchOf(12);
    const end = endings(batch);
    await end(...times(4, PROVIDER), otherwise, ...times(4, PROVIDER));
    expect((await stateOf(batch.batchId)).paused).toBe(false);
    await end(PROVIDER);
    expect((await stateOf(batch.batchId)).because).toBe(BECAUSE);
  });

  test('counts evaluators that fail at the end, whatever the agent did', async () => {
    const batch = await batchOf(4, 3);
    for (const { runId } of batch.runs.slice(0, 3)) {
      await evaluate(db, runId, 1, 'submit', 'evaluator_error', {
        events: [{ kind: 'evaluator_error', key: '1-submit', detail: 'ModuleNotFoundError: torch' }],
      });
      await db.store.finishRun(runId, { endReason: 'submit', finalEvaluation: 'evaluator_error', detail: null });
    }
    expect((await stateOf(batch.batchId)).because).toBe(
      '3 runs in a row ended by a fault of the evaluator: ModuleNotFoundError: torch',
    );
  });

  test('never pauses without a breaker, nor when no run is left to start', async () => {
    const off = await batchOf(12, null);
    await endings(off)(...times(10, PROVIDER));
    expect((await stateOf(off.batchId)).paused).toBe(false);
    const last = await batchOf(5);
    await endings(last)(...times(5, PROVIDER));
    expect((await stateOf(last.batchId)).paused).toBe(false);
  });

  test('that a person has paused stays theirs', async () => {
    const batch = await batchOf(8);
    await db.batchControl.pause(batch.batchId);
    await endings(batch)(...times(6, PROVIDER));
    expect(await stateOf(batch.batchId)).toEqual({ paused: true, because: null });
    expect(await eventsOf(batch.batchId)).toEqual([]);
  });

  test('resumed, counts from zero, and says so again when it pauses again', async () => {
    const batch = await batchOf(16);
    const end = endings(batch);
    await end(...times(5, PROVIDER));
    await db.batchControl.unpause(batch.batchId);
    expect(await stateOf(batch.batchId)).toEqual({ paused: false, because: null });
    await end(...times(4, PROVIDER));
    expect((await stateOf(batch.batchId)).paused).toBe(false);
    await end(PROVIDER);
    expect((await stateOf(batch.batchId)).because).toBe(BECAUSE);
    expect(await eventsOf(batch.batchId)).toEqual([BECAUSE, BECAUSE]);
  });

  test('that is retried, counts from zero', async () => {
    const batch = await batchOf(4);
    await endings(batch)(...times(4, PROVIDER));
    const again = batch.runs.map((one, nth) => ({
      ...run(batch.batchId, task('t'), 'm', nth + 1),
      replaces: one.runId,
    }));
    await db.intake.append(batch.batchId, again, 'v');
    await endings({ runs: again })(PROVIDER);
    expect((await stateOf(batch.batchId)).paused).toBe(false);
  });

  test('however many end at once, counts each once and pauses once', async () => {
    for (const breaker of [40, 41]) {
      const batch = await batchOf(60, breaker);
      const ends = batch.runs.slice(0, 40).map(({ runId }) => db.store.finishRun(runId, PROVIDER));
      await Promise.all(ends);
      const { rows } = await db.pool.query('select failing_runs from batches where batch_id = $1', [batch.batchId]);
      expect(rows).toEqual([{ failing_runs: 40 }]);
      expect((await stateOf(batch.batchId)).paused).toBe(breaker === 40);
      expect(await eventsOf(batch.batchId)).toHaveLength(breaker === 40 ? 1 : 0);
    }
  });

  test('ended together by one statement, counts each of them', async () => {
    const batch = await batchOf(8);
    const runIds = batch.runs.slice(0, 5).map(({ runId }) => runId);
    await db.store.finishRuns(runIds, PROVIDER);
    expect((await stateOf(batch.batchId)).because).toBe(BECAUSE);
  });
});
