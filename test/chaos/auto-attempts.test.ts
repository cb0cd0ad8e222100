import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ORDER_RULES } from '../../domain/statistics/settle-order.js';
import { decide } from '../../db/store/allocation.js';
import type { Allocation } from '../../domain/views/allocation.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import { BenchHome } from '../setup/bench-home.js';
import { seededRandom } from '../setup/random.js';
import { counterReadings, repeatedCalls } from './batch-outcome.js';
import { killService } from './kill-service.js';

// The moments of the kills come from this seed; BENCH_CHAOS_SEED tries others.
const SEED = Number(process.env['BENCH_CHAOS_SEED'] ?? 26);
const KILLS = 6;
const MOST = ORDER_RULES.maxAttempts;
const COUNTS = [1, 2, 3, 4];
const TASKS = ['battleOfSexes', 'prisonersDilemma'];

let home: BenchHome;
beforeAll(() => {
  home = new BenchHome();
});
afterAll(() => home.remove());

const SUBMIT = [
  ...['submit', '--name', 'auto', '--models', COUNTS.map((n) => `scripted:counter:${n}`).join(',')],
  ...['--tasks', TASKS.join(','), '--backend', 'local', '--seed', '5', '--concurrency', '3'],
  ...['--attempts', 'auto'],
];

interface Cell {
  model: string;
  task: string;
  given: number;
  attempt: number;
  run: string;
  gains: number[];
}

/** Results after these shards: each look adds its runs as a shard. */
const cellsUpTo = (batchId: string, shard: number): Promise<Cell[]> =>
  home.sql<Cell>(
    `select r.model_name as model, r.task_id as task, count(*)::int as given, max(r.attempt) as attempt, max(r.run_id) as run,
       array_agg(attempt_gain(t.best_attempt, v.direction, s.value, s.standard_error, target_of(v.spec)) order by r.attempt) as gains
     from runs r join task_versions v on v.content_hash = r.task_hash join baselines s on s.content_hash = r.task_hash
     join run_results t on t.run_id = r.run_id
     where r.batch_id = $1 and r.shard <= $2 group by 1, 2 order by 2, 1`,
    [batchId, shard],
  );

it('attempts that are given out on the way are the same ones, once each, whatever is killed meanwhile', async () => {
  const random = seededRandom(SEED);
  let lastHit = 0;
  // Submitting dies before, while and after the batch is stored.
  for (const after of [400, 1_200, 3_000]) {
    const cli = home.start(...SUBMIT, '--wait');
    await sleep(after + random() * 800);
    cli.kill('SIGKILL');
    await cli;
  }
  const { batchId } = await home.json<{ batchId: string }>(...SUBMIT);
  const hasEnded = async () =>
    (await home.sql(`select from batches where batch_id = $1 and status = 'ended'`, [batchId])).length > 0;
  for (let kills = 0; kills < KILLS && !(await hasEnded());) {
    const waiting = home.start(...SUBMIT, '--wait');
    await sleep(2_000 + random() * 6_000);
    if (killService(home, 'worker')) kills += 1;
    lastHit = kills;
    waiting.kill('SIGKILL');
    await waiting;
  }
  expect(lastHit).toBeGreaterThanOrEqual(3);
  expect(await home.json<{ batchId: string }>(...SUBMIT)).toMatchObject({ batchId });
  await vi.waitFor(
    async () => {
      if (!(await hasEnded())) throw new Error('the batch is not over');
    },
    { timeout: 900_000, interval: 1_000 },
  );
  const batches = await home.sql('select batch_id from batches');
  expect(batches).toEqual([{ batch_id: batchId }]);

  // Every attempt once, numbered without a gap, and none of them lost: the looks saw them all.
  const runs = await home.sql<{ model: string; task: string; attempts: number[]; scored: number }>(
    `select model_name as model, task_id as task, array_agg(attempt order by attempt) as attempts,
       count(final_score) filter (where end_reason = 'submit')::int as scored
     from runs where batch_id = $1 group by 1, 2`,
    [batchId],
  );
  expect(runs).toHaveLength(COUNTS.length * TASKS.length);
  for (const { attempts, scored } of runs) {
    expect(attempts).toEqual(attempts.map((_, at) => at + 1));
    expect(attempts.length).toBeLessThanOrEqual(MOST);
    expect(scored).toBe(attempts.length);
  }
  for (const reading of await counterReadings(home, batchId)) expect(reading).toEqual(COUNTS.slice(0, reading.length));
  expect(await repeatedCalls(home, batchId)).toEqual([]);

  // Models that play alike are mostly given up at the first look; sql/allocation.test.ts has more.
  // The looks again, by the rule alone: the same attempts, and the same end.
  const [stored] = await home.sql<{ allocation: Allocation }>('select allocation from batches where batch_id = $1', [
    batchId,
  ]);
  const shards = await home.sql<{ shard: number }>(
    'select shard, min(ordinal) from runs where batch_id = $1 group by 1 order by 1',
    [batchId],
  );
  let allocation: Allocation = {
    ...{ ...ORDER_RULES, looks: 0, pairs: 0, settled: 0, state: 'playing', detail: '' },
  };
  for (const [look, { shard }] of shards.entries()) {
    const cells = await cellsUpTo(batchId, shard);
    const decided = decide(allocation, cells, { spent: false });
    const next = shards[look + 1];
    const after = next === undefined ? cells : await cellsUpTo(batchId, next.shard);
    expect(after.map(({ given }, at) => given - cells[at]!.given)).toEqual(decided.more);
    ({ allocation } = decided);
  }
  expect(allocation).toEqual(stored!.allocation);
  console.warn(`${lastHit} kills, ${allocation.looks} looks, ${allocation.detail}`);

  // All play the starter: scores must not depend on a cell's attempts. Two attempts are fixed.
  await home.json(...['comparisons', 'save', 'two', '--batch', batchId, '--include', 'scripted,local', '--k', '2']);
  const board = await home.json<Leaderboard>('leaderboard', '--view', 'two');
  const firstTwo = await home.sql<{ model: string; task: string; scores: number[] }>(
    `select model_name as model, task_id as task, array_agg(final_score order by attempt) as scores from runs
     where batch_id = $1 and attempt <= 2 group by 1, 2`,
    [batchId],
  );
  for (const { model, task, scores } of firstTwo)
    expect(board.rows.find((row) => row.model === model)?.scores[task]?.bestAttempts.toSorted()).toEqual(
      scores.toSorted(),
    );
  const apart = await home.sql(
    `select r.run_id, r.final_score, s.value from runs r join baselines s on s.content_hash = r.task_hash
     where r.batch_id = $1 and abs(r.final_score - s.value) > case r.task_id when 'battleOfSexes' then 0.06 else 0.12 end`,
    [batchId],
  );
  expect(apart).toEqual([]);
}, 1_500_000);
