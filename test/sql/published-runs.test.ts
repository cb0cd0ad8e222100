import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { MLGYM_TASKS } from '../../domain/mlgym/tasks.js';
import type { Leaderboard, LeaderboardOptions, LeaderboardRow } from '../../domain/views/leaderboard.js';
import { writeReport } from '../../report/index.js';
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

/** The tables of a page by their captions: rows of texts, under their heads. */
function tablesOf(page: string): Map<string, Record<string, string>[]> {
  const text = (markup: string) =>
    markup
      .replace(/<[^>]*>/g, '')
      .replace(/\s+/g, ' ')
      .trim();
  const cells = (markup: string) => [...markup.matchAll(/<t[hd][ >][\s\S]*?<\/t[hd]>/g)].map(([cell]) => text(cell));
  return new Map(
    [...page.matchAll(/<caption>([\s\S]*?)<\/caption>([\s\S]*?)<\/table>/g)].map(([, caption = '', body = '']) => {
      const [head = [], ...rows] = body.split('</tr>').map(cells);
      const named = rows.filter(({ length }) => length > 0);
      return [text(caption), named.map((row) => Object.fromEntries(row.map((value, i) => [head[i] ?? '', value])))];
    }),
  );
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
      const board = await db.queries.leaderboard({ mode: 'compat', resamples: 1000, ...options });
      return { ...board, models: board.rows.map(({ model }) => model) };
    };
    const byChance = await of({ order: 'win-rate' });
    // By hand from the file: the mean over tasks of the mean gain of all four runs, and of all pairs of runs.
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
    const [byGain, byArea, byRank] = [
      await of({ order: 'gain' }),
      await of({ order: 'aup' }),
      await of({ order: 'rank' }),
    ];
    expect(byRank.models).toEqual(expected.best_ranking.order_by_average_rank.filter((name) => name !== 'baseline'));
    for (const board of [byChance, byGain, byArea, byRank]) {
      expect(board.comparison.separation?.tasks?.pairs).toBe(15);
      const shares = board.rows.map(({ intervals }) => intervals?.tasks.pBest?.best ?? NaN);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
      // What orders the rows is what P(best) is about.
      expect(Math.max(...shares)).toBe(shares[0]);
    }
    const resolved = (board: Leaderboard) => board.comparison.separation?.tasks?.resolved ?? NaN;
    expect([byChance, byGain, byArea].map(resolved)).toEqual([8, 9, 9]);
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

  describe('as a report', () => {
    async function report(mode: 'compat' | 'strict') {
      const board = await db.queries.leaderboard({ mode, resamples: 100 });
      const found = await db.queries.reportRuns(board);
      const page = writeReport.html({
        ...{
          subject: 'Published',
          generatedAt: '2026-01-01T00:00:00.000Z',
          harnessVersion: '0',
          over: 'tasks',
          training: null,
        },
        ...{ board, ...found },
      });
      const tables = tablesOf(page);
      const table = (caption: RegExp) => [...tables].find(([name]) => caption.test(name))?.[1] ?? [];
      return { page, table };
    }

    test('as it was published: ranks, areas, scores, ends, actions and costs are those expected', async () => {
      const { page, table } = await report('compat');
      const ranked = table(/^Ranked by average rank/);
      expect(ranked.map(({ model }) => model)).toEqual(
        expected.best_ranking.order_by_average_rank.filter((name) => name !== 'baseline'),
      );
      for (const row of ranked) {
        const model = row['model']!;
        const { best_aup, last_aup } = expected.aup[model]!;
        expect(row['average rank']).toBe(expected.best_ranking.average_rank[model]!.toFixed(2));
        expect(row['AUP best [95 %]']).toMatch(new RegExp(`^${best_aup.toFixed(3)} \\[`));
        expect(row['AUP last [95 %]']).toMatch(new RegExp(`^${last_aup.toFixed(3)} \\[`));
        expect(row['$ per run']).toBe(`$${expected.cost[model]!['mean_cost_from_tokens']!.toFixed(2)} list`);
      }
      const scores = table(/^Best attempt of each model/);
      expect(scores).toHaveLength(13);
      for (const row of scores) {
        const known = expected.best_scores[row['task']!.split(' ')[0]!]!;
        for (const model of expected.models) {
          const score = known[model];
          if (score == null) expect(row[model]).toBe('no score');
          else expect(Number(row[model]!.split(' ')[0])).toBeCloseTo(score, 3 - Math.ceil(Math.log10(Math.abs(score))));
        }
      }
      const perModel = (caption: RegExp, of: Record<string, Counts>) => {
        for (const row of table(caption))
          for (const [name, amount] of Object.entries(of[row['model']!]!)) expect(row[name], name).toBe(String(amount));
        expect(table(caption)).toHaveLength(6);
      };
      perModel(/^Runs by exit label/, expected.exit_status.categories_per_model);
      perModel(/^Steps by what they did/, expected.actions.per_model);
      for (const row of table(/^Cost and tokens/)) {
        const cost = expected.cost[row['model']!]!;
        expect(row['$ per run']).toBe(`$${cost['mean_cost_from_tokens']!.toFixed(2)}`);
        expect(row['prices of']).toBe('list mlgym');
      }
      // Each of the runs stands behind its number, and the file asks for nothing else.
      const { rows } = await sql.query<{ id: string }>('select run_id as id from runs');
      expect(rows).toHaveLength(312);
      expect(rows.filter(({ id }) => !page.includes(id))).toEqual([]);
      expect(page).not.toMatch(/<script|<link|\bsrc=|@import/);
      expect(page.match(/<svg role="img"/g)).toHaveLength(2 * 6);
    });

    test('strict: scores of flagged runs do not count, and the difference is shown beside each area', async () => {
      // Flagged by hand: of these runs the steps, by which rules go, are not at hand.
      await sql.query(
        `insert into integrity_flags (run_id, rule, step, detail, version)
         select distinct r.run_id, 'self_reported', 1, 'by hand', integrity_rules_version()
         from runs r join evaluations e using (run_id)
         where r.task_id = 'imageCaptioningCOCO' and e.status = 'ok' and e.primary_score is not null`,
      );
      const { table } = await report('strict');
      const ranked = table(/^Ranked by win rate of the best attempts/);
      const flagged = ranked.map((row) => Number(/self_reported ×(\d+)/.exec(row['flags']!)?.[1] ?? 0));
      expect(flagged.reduce((sum, runs) => sum + runs, 0)).toBe(13);
      for (const row of ranked)
        expect(row['AUP best with suspects']).toBe(
          expected.aup_strict_normalised[row['model']!]!.best_aup_strict.toFixed(3),
        );
      expect(ranked.some((row) => !row['AUP best [95 %]']!.startsWith(row['AUP best with suspects']!))).toBe(true);
    });
  });
});
