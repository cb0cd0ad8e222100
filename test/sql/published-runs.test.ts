import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { MLGYM_TASKS } from '../../domain/mlgym/tasks.js';
import type { LeaderboardOptions, LeaderboardRow } from '../../domain/views/leaderboard.js';
import { PUBLISHED, publishedIsHere, publishedRuns, storePublishedRuns } from '../setup/published-runs.js';
import { sharedDatabases } from '../setup/shared-databases.js';

type Counts = Record<string, number>;
interface Expected {
  tasks: { id: string }[];
  best_scores: Record<string, Record<string, number | null>>;
  exit_status: {
    raw: Counts;
    categories_total: Counts;
    categories_per_model: Record<string, Counts>;
    categories_per_task: Record<string, Counts>;
    outcome_total: Counts;
    outcome_per_model: Record<string, Counts>;
    outcome_per_task: Record<string, Counts>;
  };
  actions: {
    total: Counts;
    per_model: Record<string, Counts>;
    per_task: Record<string, Counts>;
    per_step: Record<string, Counts>;
  };
  cost: Record<string, { runs: number } & Counts>;
  models: string[];
  last_scores: Record<string, Record<string, number | null>>;
  aup: Record<string, { best_aup: number; last_aup: number }>;
  aup_strict_normalised: Record<string, { best_aup_strict: number; last_aup_strict: number }>;
  best_ranking: { average_rank: Record<string, number>; order_by_average_rank: string[] };
}

describe.runIf(publishedIsHere)('the published runs of six models at thirteen tasks', () => {
  const server = sharedDatabases();
  let sql: pg.Client;
  let db: Database;
  let expected: Expected;
  beforeAll(async () => {
    const url = await server.createDatabase();
    db = openDatabase(url);
    sql = new pg.Client({ connectionString: url });
    await sql.connect();
    expected = JSON.parse(readFileSync(join(PUBLISHED, 'expected-6-models.json'), 'utf8')) as Expected;
    await storePublishedRuns(sql, publishedRuns(), (task) => expected.best_scores[task]?.['baseline'] ?? null);
  });
  afterAll(async () => {
    await db.close();
    await sql.end();
  });

  /** Rows of (group, name, count) as the expectations have them. */
  async function counted(text: string): Promise<Record<string, Counts>> {
    const { rows } = await sql.query<{ of: string; name: string; count: number }>(text);
    const groups: Record<string, Counts> = {};
    for (const { of, name, count } of rows) (groups[of] ??= {})[name] = count;
    return groups;
  }
  const labels = (of: string) =>
    counted(
      `select ${of} as of, label as name, count(*)::int from run_exits, unnest(labels) label
       where label <> 'Unknown' group by 1, 2`,
    );
  const outcomes = (of: string) =>
    counted(
      `select ${of} as of, kind as name, (count(*) filter (where kind in ('runs', outcome)))::int as count
       from run_exits, unnest('{runs,failed,incomplete,complete}'::text[]) kind
       where status is not null group by 1, 2`,
    );
  const actions = (of: string) =>
    counted(`select ${of} as of, category as name, count(*)::int from step_actions group by 1, 2`);

  test('statuses and their labels, in total, per model, per task', async () => {
    const found = await counted(
      `select 'all' as of, status as name, count(*)::int from run_exits where status is not null group by 2`,
    );
    expect(found['all']).toEqual(expected.exit_status.raw);
    expect((await labels(`'all'`))['all']).toEqual(expected.exit_status.categories_total);
    expect(await labels('model')).toEqual(expected.exit_status.categories_per_model);
    expect(await labels('task')).toEqual(expected.exit_status.categories_per_task);
  });

  test('failed, incomplete, complete', async () => {
    expect((await outcomes(`'all'`))['all']).toEqual(expected.exit_status.outcome_total);
    expect(await outcomes('model')).toEqual(expected.exit_status.outcome_per_model);
    expect(await outcomes('task')).toEqual(expected.exit_status.outcome_per_task);
    // Of two runs nobody wrote down how they ended: one has a score.
    const { rows } = await sql.query('select labels, outcome from run_exits where status is null order by outcome');
    expect(rows).toEqual([
      { labels: ['Unknown'], outcome: 'failed' },
      { labels: ['Unknown'], outcome: null },
    ]);
  });

  test('categories of actions, in total, per model, per task, per step', async () => {
    expect((await actions(`'all'`))['all']).toEqual(expected.actions.total);
    expect(await actions('model')).toEqual(expected.actions.per_model);
    expect(await actions('task')).toEqual(expected.actions.per_task);
    expect(await actions('step::text')).toEqual(expected.actions.per_step);
  });

  test('costs from tokens by the published prices, beside the recorded ones', async () => {
    const { rows } = await sql.query<{ model: string } & Counts>(
      `select model, runs::int, mean_list_usd::float8 as list, mean_recorded_usd::float8 as recorded,
         mean_input_tokens::float8 as sent, mean_output_tokens::float8 as received
       from model_costs('mlgym')`,
    );
    expect(rows).toHaveLength(6);
    for (const { model, runs, list, recorded, sent, received } of rows) {
      const cost = expected.cost[model]!;
      expect(runs).toBe(cost.runs);
      expect(list).toBeCloseTo(cost['mean_cost_from_tokens']!, 9);
      expect(recorded).toBeCloseTo(cost['mean_cost_recorded']!, 9);
      expect(sent).toBeCloseTo(cost['mean_tokens_sent']!, 6);
      expect(received).toBeCloseTo(cost['mean_tokens_received']!, 6);
    }
  });

  test('gains, chances, what orders them and how far it tells models apart', async () => {
    const of = async (options: LeaderboardOptions) => {
      const board = await db.queries.leaderboard({ intervals: true, ...options });
      return { ...board, models: board.rows.map(({ model }) => model) };
    };
    const byChance = await of({ include: ['suspect'] });
    // By hand: the mean over tasks of the mean gain of all four runs, and of all pairs.
    const runs = publishedRuns();
    const gainsOf = (model: string, task: string) =>
      runs
        .filter((run) => run.model === model && run.task === task)
        .map(({ scores }) => {
          const { metric, direction, standardError, target } = MLGYM_TASKS[task]!;
          const baseline = expected.best_scores[task]!['baseline']!;
          const values = scores.flatMap((score) => (score[metric] === undefined ? [] : [score[metric]]));
          const best = direction === 'maximize' ? Math.max(...values) : Math.min(...values);
          if (values.length === 0 || Math.abs(best - baseline) <= 2 * standardError!) return 0;
          return Math.min(1, Math.max(0, (best - baseline) / (target!.value! - baseline)));
        });
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    for (const { model, gain, winRate } of byChance.rows) {
      const tasks = expected.tasks.map(({ id }) => id);
      expect(gain?.best).toBeCloseTo(mean(tasks.map((task) => mean(gainsOf(model, task)))), 9);
      const beats = (task: string, other: string) =>
        mean(gainsOf(model, task).flatMap((a) => gainsOf(other, task).map((b) => (a > b ? 1 : a < b ? 0 : 0.5))));
      const others = expected.models.filter((other) => other !== model);
      expect(winRate?.best).toBeCloseTo(mean(tasks.flatMap((task) => others.map((other) => beats(task, other)))), 9);
    }
    const byRank = await of({ mode: 'compat' });
    expect(byRank.models).toEqual(expected.best_ranking.order_by_average_rank.filter((name) => name !== 'baseline'));
    for (const board of [byChance, byRank]) {
      expect(board.comparison.separation?.pairs).toBe(15);
      const shares = board.rows.map(({ intervals }) => intervals?.pBest?.best ?? NaN);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
      // What orders the rows is what P(best) is about.
      expect(Math.max(...shares)).toBe(shares[0]);
    }
    expect(byChance.comparison.separation?.resolved).toBe(8);
    expect(byChance.tasks.find(({ task }) => task === '3SATTime')?.ranking).toMatch(/^by Time, as MLGym ranks it/);
  });

  test('one cell at ±1e-9 of zero moves the AUP of all, and no headline by more than its own share', async () => {
    const { rows: kept } = await sql.query<{ run_id: string; number: number; primary_score: number }>(
      `select e.run_id, e.number, e.primary_score from evaluations e join runs r on r.run_id = e.run_id
       where r.task_id = 'blotto' and r.model_name = 'deepseek-r1'`,
    );
    const of = async (score: number) => {
      await sql.query('update evaluations set primary_score = $1 where run_id = any ($2)', [
        score,
        kept.map(({ run_id }) => run_id),
      ]);
      return db.queries.leaderboard({ mode: 'compat' });
    };
    const [before, after] = [await of(-1e-9), await of(1e-9)];
    for (const { run_id, number, primary_score } of kept)
      await sql.query('update evaluations set primary_score = $1 where run_id = $2 and number = $3', [
        primary_score,
        run_id,
        number,
      ]);
    const moved = (value: (row: LeaderboardRow) => number) =>
      Math.max(
        ...before.rows.map((row) => Math.abs(value(row) - value(after.rows.find(({ model }) => model === row.model)!))),
      );
    expect(after.comparison.T! - before.comparison.T!).toBeGreaterThan(1);
    expect(moved(({ bestAup }) => bestAup!)).toBeGreaterThan(1);
    // One of thirteen tasks.
    expect(moved(({ winRate }) => winRate!.best!)).toBeLessThanOrEqual(1 / 13);
    expect(moved(({ gain }) => gain!.best!)).toBeLessThanOrEqual(1e-8);
  });

  test('ranks, areas, scores and costs are those that were published', async () => {
    const board = await db.queries.leaderboard({ mode: 'compat' });
    expect(board.rows.map(({ model }) => model)).toEqual(
      expected.best_ranking.order_by_average_rank.filter((name) => name !== 'baseline'),
    );
    for (const row of board.rows) {
      const { best_aup, last_aup } = expected.aup[row.model]!;
      expect(row.averageRank).toBeCloseTo(expected.best_ranking.average_rank[row.model]!, 6);
      expect(row.bestAup).toBeCloseTo(best_aup, 3);
      expect(row.lastAup).toBeCloseTo(last_aup, 3);
      expect(Number(row.costPerRunUsd)).toBeCloseTo(expected.cost[row.model]!['mean_cost_from_tokens']!, 2);
      expect(row.costKind).toBe('list');
      for (const { id } of expected.tasks) {
        const score = expected.best_scores[id]![row.model];
        if (score == null) expect(row.scores[id]!.best).toBeNull();
        else expect(row.scores[id]!.best).toBeCloseTo(score, 6);
      }
    }
    // Each of the runs stands behind its number.
    expect(await db.queries.leaderboardRuns(board)).toHaveLength(312);
  });

  test('strict: scores of flagged runs do not count, and the area with them is known', async () => {
    // Flagged by hand: of these runs the steps, by which rules go, are not at hand.
    await sql.query(
      `insert into integrity_flags (run_id, rule, step, detail, version)
       select distinct r.run_id, 'self_reported', 1, 'by hand', integrity_rules_version()
       from runs r join evaluations e using (run_id)
       where r.task_id = 'imageCaptioningCOCO' and e.status = 'ok' and e.primary_score is not null`,
    );
    const { rows } = await db.queries.leaderboard({ mode: 'strict' });
    expect(rows.reduce((sum, { flags }) => sum + (flags.self_reported ?? 0), 0)).toBe(13);
    for (const { model, bestAup, withSuspects } of rows)
      expect((withSuspects ?? { bestAup }).bestAup).toBeCloseTo(
        expected.aup_strict_normalised[model]!.best_aup_strict,
        3,
      );
    expect(rows.some(({ withSuspects }) => withSuspects !== null)).toBe(true);
  });
});
