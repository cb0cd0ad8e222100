import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { newRunId } from '../../domain/ids.js';
import { SHARD_SIZE } from '../../domain/run/limits.js';
import { usdUnits } from '../../domain/model/price.js';
import { seededRandom } from '../setup/random.js';
import { run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { LONG } from '../setup/long.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase(), { max: 24 });
});
afterAll(async () => {
  await db.close();
});

const INFRA = { endReason: 'infra_error', finalEvaluation: 'not_run', detail: 'lost' } as const;

async function batchOf(runs: number, budgetUsd: string | null = null) {
  const made = submission(null, (id) => Array.from({ length: runs }, (_, i) => run(id, task('t'), 'm', i + 1)));
  made.batch.budgetUsd = budgetUsd;
  await db.intake.submit(made);
  return { batchId: made.batch.batchId, runs: made.runs };
}

describe('adding runs', () => {
  test('puts them into shards of their own and wakes a batch that was over', async () => {
    const { batchId, runs } = await batchOf(2);
    for (const { runId } of runs) await db.store.finishRun(runId, SUBMITTED);
    expect(await db.store.finishBatch(batchId, 'ended')).toBe(true);
    await db.intake.append(batchId, [run(batchId, task('t'), 'm', 3)], 'v');
    expect(await db.queries.findBatch(batchId)).toMatchObject({ status: 'running', runs: 3, shards: 2, endedAt: null });
    expect((await db.store.batchState(batchId)).openShards).toEqual([1]);
  });

  test('keeps a batch from ending, and one that is refused leaves nothing', async () => {
    const { batchId, runs } = await batchOf(1);
    await db.store.finishRun(runs[0]!.runId, SUBMITTED);
    await db.intake.append(batchId, [run(batchId, task('t'), 'm', 2)], 'v');
    expect(await db.store.finishBatch(batchId, 'ended')).toBe(false);
    const twice = [run(batchId, task('t'), 'm', 3), run(batchId, task('t'), 'm', 2)];
    await expect(db.intake.append(batchId, twice, 'v')).rejects.toMatchObject({ type: 'usage' });
    expect((await db.queries.findBatch(batchId)).runs).toBe(2);
  });

  test('that repeat others are counted, and a list of batches says how many there are', async () => {
    const { batchId, runs } = await batchOf(2);
    await db.store.finishRun(runs[0]!.runId, INFRA);
    expect((await db.queries.batchStatus(batchId)).replaced).toBe(0);
    await db.intake.append(batchId, [{ ...run(batchId, task('t'), 'm', 1), replaces: runs[0]!.runId }], 'v');
    expect((await db.queries.batchStatus(batchId)).replaced).toBe(1);
    const { batches, total } = await db.queries.listBatches(1);
    expect(batches).toMatchObject([{ batchId, byStatus: { ended: 1, queued: 2 } }]);
    const all = await db.queries.listBatches(1000);
    expect([all.batches.length, all.total, total]).toEqual([all.total, all.total, all.total]);
    expect(all.total).toBeGreaterThan(1);
  });

  test.runIf(LONG)('five thousand runs are accepted, and each ends once', async () => {
    const { batchId, runs } = await batchOf(5000);
    expect((await db.store.batchState(batchId)).openShards).toHaveLength(5000 / SHARD_SIZE);
    await db.store.finishRuns(
      runs.slice(0, 4999).map(({ runId }) => runId),
      INFRA,
    );
    expect(await db.store.finishBatch(batchId, 'ended')).toBe(false);
    expect(await db.store.finishBatch(batchId, 'cancelled')).toBe(true);
    const report = await db.queries.batchStatus(batchId);
    expect(report.byEndReason).toEqual({ infra_error: 4999, cancelled: 1 });
    const { batches } = await db.queries.listBatches(1);
    expect(batches).toMatchObject([{ batchId, runs: 5000, byStatus: { ended: 5000 } }]);
  });
});

describe('replacing runs', () => {
  test('takes those that ended so and are not replaced yet, once', async () => {
    const { batchId, runs } = await batchOf(3);
    const [lost, fine] = runs;
    await db.store.finishRun(lost!.runId, INFRA);
    await db.store.finishRun(fine!.runId, SUBMITTED);
    expect(await db.batchControl.replaceable({ batchId }, ['infra_error'])).toEqual([
      { runId: lost!.runId, endReason: 'infra_error', lastStep: 0 },
    ]);
    const again = () => [{ ...run(batchId, task('t'), 'm', 1), replaces: lost!.runId }];
    await db.intake.append(batchId, again(), 'v');
    expect(await db.batchControl.replaceable({ batchId }, ['infra_error'])).toEqual([]);
    await expect(db.intake.append(batchId, again(), 'v')).rejects.toMatchObject({
      type: 'usage',
      message: 'one of these runs has already been replaced',
    });
  });
});

describe('pausing', () => {
  test('is kept in the batch, and refused when it is over', async () => {
    const { batchId } = await batchOf(1);
    expect(await db.batchControl.pause(batchId)).toBe(true);
    expect(await db.store.batchState(batchId)).toMatchObject({ paused: true });
    await db.batchControl.unpause(batchId);
    expect(await db.store.batchState(batchId)).toMatchObject({ paused: false });
    await db.store.finishBatch(batchId, 'cancelled');
    expect(await db.batchControl.pause(batchId)).toBe(false);
  });
});

describe('a budget', () => {
  const request = (reservedUsd: string) => ({
    ...{ provider: 'openai', model: 'm', reservedUsd },
    messages: [{ role: 'user' as const, content: 'hello' }],
  });
  const reply = (costUsd: string) => ({
    ...{ text: 'ls', costUsd, finishReason: 'stop' },
    usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 },
  });
  const charged = async (batchId: string) => (await db.queries.findBatch(batchId)).chargedUsd;
  const key = (runId: string, step: number) => ({ runId, step, try: 0 });

  test('is never exceeded by callers at the same moment, some of whom die, and is used to its end', async () => {
    const { batchId, runs } = await batchOf(16, '2');
    const random = seededRandom(11);
    let billed = 0n;
    const play = async (runId: string): Promise<void> => {
      for (let step = 1; ;) {
        const got = await db.store.reserveCall(key(runId, step), request('0.1'));
        if (got.kind === 'over_budget') {
          if (!got.open) return;
          await new Promise((resolve) => setTimeout(resolve, 5));
          continue;
        }
        expect(got.kind).toBe('reserved');
        const cost = `0.0${Math.floor(random() * 10)}`;
        const fate = random();
        if (fate > 0.2) billed += usdUnits(cost);
        expect(billed).toBeLessThanOrEqual(usdUnits('2'));
        await new Promise((resolve) => setTimeout(resolve, random() * 5));
        if (fate > 0.3) await db.store.settleCall(key(runId, step), reply(cost), 1);
        // Cut off after the provider's answer: repeated, and the lost call costs its reservation.
        else if (fate > 0.2) continue;
        else await db.store.failCall(key(runId, step), 'server_error', 'no');
        step += 1;
      }
    };
    await Promise.all(runs.map(({ runId }) => play(runId)));
    expect(Number(await charged(batchId))).toBeGreaterThan(1.9);
    const [row] = (
      await db.pool.query<{ sum: string }>(
        `select trim_scale(sum(case c.status when 'confirmed' then c.cost_usd when 'failed' then 0 else c.reserved_usd end))::text as sum
         from model_calls c join runs r on r.run_id = c.run_id where r.batch_id = $1`,
        [batchId],
      )
    ).rows;
    expect(row?.sum).toBe(await charged(batchId));
  });

  test('gives room again when a call in flight costs less, and none for a run that ended in mid-call', async () => {
    const { batchId, runs } = await batchOf(3, '1');
    const [a, b, c] = runs.map(({ runId }) => runId) as [string, string, string];
    await db.store.reserveCall(key(a, 1), request('0.6'));
    expect(await db.store.reserveCall(key(b, 1), request('0.6'))).toEqual({ kind: 'over_budget', open: true });
    await db.store.settleCall(key(a, 1), reply('0.2'), 1);
    expect(await db.store.reserveCall(key(b, 1), request('0.6'))).toMatchObject({ kind: 'reserved' });
    await db.store.finishRun(b, INFRA);
    expect(await db.store.reserveCall(key(c, 1), request('0.6'))).toEqual({ kind: 'over_budget', open: false });
    expect(await charged(batchId)).toBe('0.8');
    await db.batchControl.raiseBudget(batchId, '2');
    expect(await db.store.reserveCall(key(c, 1), request('0.6'))).toMatchObject({ kind: 'reserved' });
  });

  test('two calls that were cut off do not wait for one another', async () => {
    const { runs } = await batchOf(2, '1');
    const [a, b] = runs.map(({ runId }) => runId) as [string, string];
    for (const runId of [a, b]) await db.store.reserveCall(key(runId, 1), request('0.5'));
    expect(await db.store.reserveCall(key(a, 1), request('0.5'))).toEqual({ kind: 'over_budget', open: true });
    expect(await db.store.reserveCall(key(b, 1), request('0.5'))).toEqual({ kind: 'over_budget', open: false });
    expect(await db.store.reserveCall(key(a, 1), request('0.5'))).toEqual({ kind: 'over_budget', open: false });
  });

  test('has stopped, once it is raised, what met the old one: also what is still evaluated, but not what was asked again', async () => {
    const { batchId, runs } = await batchOf(4, '1');
    const [a, b, c, d] = runs.map(({ runId }) => runId) as [string, string, string, string];
    const ended = { endReason: 'budget', finalEvaluation: 'ok', detail: null } as const;
    const meetsBudget = async (runId: string, ago: string) => {
      await db.store.reserveCall(key(runId, 1), request('0.6'));
      await db.store.addEvent({ runId, batchId, kind: 'budget_exhausted', key: 'budget-1', detail: 'd' });
      await db.pool.query(`update events set at = now() - $2::interval where run_id = $1`, [runId, ago]);
    };
    await db.store.reserveCall(key(a, 1), request('0.6'));
    for (const runId of [b, c, d]) await meetsBudget(runId, '1 minute');
    await db.batchControl.raiseBudget(batchId, '2');
    await db.store.finishRun(b, ended);
    expect(await db.batchControl.stoppedByOldBudget(batchId)).toEqual([
      { runId: b, ended: true },
      { runId: c, ended: false },
      { runId: d, ended: false },
    ]);
    await db.store.reserveCall(key(c, 1), request('0.6'));
    await db.intake.append(batchId, [{ ...runs[1]!, runId: newRunId(), replaces: b }], 'v');
    await db.store.finishRun(d, ended);
    expect(await db.batchControl.stoppedByOldBudget(batchId)).toEqual([{ runId: d, ended: true }]);
    // The new one met its end as well: that is for another raise.
    await db.pool.query('update runs set met_budget_usd = 2 where run_id = $1', [d]);
    expect(await db.batchControl.stoppedByOldBudget(batchId)).toEqual([]);
    await db.batchControl.raiseBudget(batchId, '2');
    expect(await db.batchControl.stoppedByOldBudget(batchId)).toEqual([]);
    await db.batchControl.raiseBudget(batchId, '3');
    expect(await db.batchControl.stoppedByOldBudget(batchId)).toEqual([{ runId: d, ended: true }]);
  });

  test('that was raised is not the one which a run met, however soon after the raise it met the new one', async () => {
    const { batchId, runs } = await batchOf(2, '1');
    const [old, both] = runs.map(({ runId }) => runId) as [string, string];
    const stopped = { endReason: 'budget', finalEvaluation: 'ok', detail: null } as const;
    const over = { kind: 'over_budget', open: false };
    for (const runId of [old, both]) expect(await db.store.reserveCall(key(runId, 1), request('2'))).toEqual(over);
    await db.store.finishRun(old, stopped);
    expect(await db.batchControl.stoppedByOldBudget(batchId)).toEqual([]);
    await db.batchControl.raiseBudget(batchId, '1.5');
    expect(await db.store.reserveCall(key(both, 1), request('2'))).toEqual(over);
    await db.store.finishRun(both, stopped);
    expect(await db.batchControl.stoppedByOldBudget(batchId)).toEqual([{ runId: old, ended: true }]);
    await db.batchControl.raiseBudget(batchId, '3');
    expect(await db.batchControl.stoppedByOldBudget(batchId)).toEqual(
      [old, both].map((runId) => ({ runId, ended: true })),
    );
  });

  test('is raised only where there is one, and only up', async () => {
    const none = await batchOf(1);
    await expect(db.batchControl.raiseBudget(none.batchId, '5')).rejects.toMatchObject({ type: 'usage' });
    const some = await batchOf(1, '5');
    await expect(db.batchControl.raiseBudget(some.batchId, '4')).rejects.toMatchObject({
      type: 'usage',
      message: expect.stringContaining('larger budget already: 5') as string,
    });
    // Whoever was cut off after that may say it again.
    for (const budget of ['6', '6', '6.00']) await db.batchControl.raiseBudget(some.batchId, budget);
    expect((await db.queries.findBatch(some.batchId)).budgetUsd).toBe('6');
  });
});
