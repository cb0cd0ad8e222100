import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { areasUnderProfiles, profileAxis } from '../oracles/areas-under-profiles.js';
import { comparisons } from '../oracles/random-comparisons.js';
import { run, submission, task } from '../fixtures/rows.js';
import { seededRandom } from '../setup/random.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { notTested } from '../setup/not-tested.js';

const server = sharedDatabases();
let db: Database;
let sql: pg.Client;
beforeAll(async () => {
  const url = await server.createDatabase();
  db = openDatabase(url);
  sql = new pg.Client({ connectionString: url });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await db.close();
});

interface RunScores {
  model: string;
  task: string;
  run_index: number;
  scores: Record<string, number>[];
}
interface TaskOf {
  id: string;
  metric: string;
  direction: 'maximize' | 'minimize';
  baseline: number | null;
}

/** Store finished runs with these scores; returns the batch. No metric: an empty list. */
async function store(runs: readonly RunScores[], tasks: readonly TaskOf[]): Promise<string> {
  const specs = new Map(
    tasks.map((one) => [
      one.id,
      task(one.id, one.direction, {
        ...(one.baseline === null ? {} : { baseline: { value: one.baseline, standardError: 0 } }),
      }),
    ]),
  );
  const batch = submission(null, (batchId) =>
    runs.map((one) => ({
      ...run(batchId, specs.get(one.task)!, one.model, one.run_index + 1),
      model: { name: one.model, kind: 'real' as const, provider: 'openai', model: one.model },
      taskHash: `${batchId}-${one.task}`,
    })),
  );
  await db.intake.submit(batch);
  const metricOf = new Map(tasks.map((one) => [one.id, one.metric]));
  const rows = batch.runs.flatMap(({ runId }, i) => {
    const { scores, task: id } = runs[i]!;
    return scores.flatMap((score, step) => {
      const value = score[metricOf.get(id)!];
      return value === undefined ? [] : [{ runId, step: step + 1, value }];
    });
  });
  await sql.query(
    `insert into evaluations (run_id, step, kind, number, status, primary_score, isolation, evaluator_version, contract)
     select run_id, step, 'validate', step, 'ok', value, 'container', 'v', 1
     from unnest($1::text[], $2::int[], $3::float8[]) as e (run_id, step, value)`,
    [rows.map((r) => r.runId), rows.map((r) => r.step), rows.map((r) => r.value)],
  );
  await sql.query(
    `update runs set status = 'ended', end_reason = 'submit', final_evaluation = 'ok', isolation = 'container', input_tokens = 1 where batch_id = $1`,
    [batch.batch.batchId],
  );
  return batch.batch.batchId;
}

/** The method names of leaderboard_cells, as the examples write them. */
const nameOf = (method: string): string => (method === 'baseline' ? method : (JSON.parse(method) as string[])[0]!);

const CELLS = 'leaderboard_cells($1, include_suspect => true)';

async function comparison(batchId: string) {
  const rows = async <Row extends pg.QueryResultRow>(text: string) => (await sql.query<Row>(text, [batchId])).rows;
  return {
    ratios: await rows<
      { kind: 'best' | 'last'; task: string; method: string; score: number | null; status: string } & Record<
        string,
        number
      >
    >(`select * from performance_ratios(${CELLS})`),
    areas: await rows<Record<string, number> & { method: string }>(`select * from areas_under_profiles(${CELLS})`),
    ranks: await rows<{ kind: 'best' | 'last'; task: string; method: string; place: number }>(
      `select * from comparison_ranks(${CELLS})`,
    ),
    averages: await rows<{ kind: 'best' | 'last'; method: string; average_rank: number }>(
      `select * from average_ranks(${CELLS})`,
    ),
  };
}

const close = (actual: number | null | undefined, expected: number, what: string, tolerance = 1e-12) =>
  expect(Math.abs((actual ?? NaN) - expected), `${what}: ${actual} instead of ${expected}`).toBeLessThanOrEqual(
    tolerance,
  );

interface ExpectedKind {
  scores: Record<string, Record<string, number | null>>;
  ratios: Record<string, Record<string, number>>;
  penalty: Record<string, number>;
  tau_ceil: Record<string, number>;
  rank: Record<string, Record<string, number>>;
  average_rank: Record<string, number>;
  aup: Record<string, number>;
  aup_strict_normalised: Record<string, number>;
}

test('two tasks and three models, to the last digit', async () => {
  const example = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/worked-example.json'), 'utf8')) as {
    runs: RunScores[];
    tasks: TaskOf[];
    expected: { best: ExpectedKind; last: ExpectedKind; tau_max_log10: number };
  };
  const { ratios, areas, ranks, averages } = await comparison(await store(example.runs, example.tasks));
  expect(ratios).toHaveLength(16);
  for (const kind of ['best', 'last'] as const) {
    const expected = example.expected[kind];
    for (const row of ratios.filter((one) => one.kind === kind)) {
      const method = nameOf(row.method);
      expect(row.score, `${kind} ${row.task} ${method}`).toBe(expected.scores[row.task]?.[method]);
      close(row['ratio'], expected.ratios[row.task]![method]!, `ratio ${row.task} ${method}`);
      close(row['penalty_ratio'], expected.penalty[row.task]!, `penalty ${row.task}`);
      expect(row['tau_ceil']).toBe(expected.tau_ceil[row.task]);
    }
    for (const row of ranks.filter((one) => one.kind === kind))
      expect(row.place).toBe(expected.rank[row.task]![nameOf(row.method)]);
    for (const row of averages.filter((one) => one.kind === kind))
      expect(row.average_rank).toBe(expected.average_rank[nameOf(row.method)]);
    for (const row of areas) {
      close(row[`${kind}_aup`], expected.aup[nameOf(row.method)]!, `AUP ${kind} ${row.method}`);
      close(row[`${kind}_aup_strict`], expected.aup_strict_normalised[nameOf(row.method)]!, `strict ${row.method}`);
    }
  }
  expect(areas.map((row) => row['axis'])).toEqual(Array(4).fill(example.expected.tau_max_log10));
});

const published = join(import.meta.dirname, '../../../shared/data/mlgym-bench-v0');
const here = existsSync(published);
if (!here) notTested('published runs of MLGym-Bench', `they are not part of the repository, and not at ${published}`);

describe.runIf(here)('the published runs of six models at thirteen tasks', () => {
  interface Published {
    models: string[];
    tasks: (Omit<TaskOf, 'baseline'> & { label: string })[];
    best_scores: ExpectedKind['scores'];
    last_scores: ExpectedKind['scores'];
    tau_max_log10: number;
    aup: Record<string, { best_aup: number; last_aup: number }>;
    aup_strict_normalised: Record<string, { best_aup_strict: number; last_aup_strict: number }>;
    profile_samples: Record<'best' | 'last', Record<string, number[]>>;
    profile_sample_grid_index: number[];
    best_ranking: Ranking;
    last_ranking: Ranking;
    best_ratio_detail: Record<string, { status: Record<string, string>; ratios: Record<string, number> }>;
    last_ratio_detail: Published['best_ratio_detail'];
  }
  interface Ranking {
    per_task: Record<string, { rank: Record<string, number> }>;
    average_rank: Record<string, number>;
  }
  let expected: Published;
  let batchId: string;
  let found: Awaited<ReturnType<typeof comparison>>;
  beforeAll(async () => {
    expected = JSON.parse(readFileSync(join(published, 'expected-6-models.json'), 'utf8')) as Published;
    const runs = gunzipSync(readFileSync(join(published, 'runs.jsonl.gz')))
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunScores);
    const tasks = expected.tasks.map((one) => ({
      ...one,
      baseline: expected.best_scores[one.id]!['baseline'] ?? null,
    }));
    batchId = await store(runs, tasks);
    found = await comparison(batchId);
  });

  test.each(['best', 'last'] as const)('%s scores, feasibility, ratios', (kind) => {
    const rows = found.ratios.filter((one) => one.kind === kind);
    expect(rows).toHaveLength(7 * 13);
    for (const { task: id, method, score, status, ratio } of rows) {
      const name = nameOf(method);
      const detail = expected[`${kind}_ratio_detail`][id]!;
      expect(score, `${id} ${name}`).toBe(expected[`${kind}_scores`][id]![name]);
      expect(status, `${id} ${name}`).toBe(detail.status[name]);
      close(ratio, detail.ratios[name]!, `ratio ${id} ${name}`, 1e-9);
    }
  });

  test.each(['best', 'last'] as const)('%s AUP, as published and strict', (kind) => {
    expect(found.areas).toHaveLength(7);
    for (const row of found.areas) {
      const name = nameOf(row.method);
      expect(row['axis']).toBe(expected.tau_max_log10);
      close(row[`${kind}_aup`], expected.aup[name]![`${kind}_aup`], `AUP ${name}`, 1e-9);
      close(
        row[`${kind}_aup_strict`],
        expected.aup_strict_normalised[name]![`${kind}_aup_strict`],
        `strict AUP ${name}`,
        1e-9,
      );
    }
  });

  test.each(['best', 'last'] as const)('%s positions, average ranks', (kind) => {
    const ranking = expected[`${kind}_ranking`];
    for (const { task: id, method, place } of found.ranks.filter((one) => one.kind === kind))
      expect(place, `${id} ${method}`).toBe(ranking.per_task[id]!.rank[nameOf(method)]);
    for (const { method, average_rank } of found.averages.filter((one) => one.kind === kind))
      close(average_rank, ranking.average_rank[nameOf(method)]!, `average rank ${method}`);
  });

  test('average ranks of the leaderboard’s rows, the baseline among the methods', async () => {
    const { rows } = await sql.query<{ model: string } & Record<string, number>>(
      'select * from leaderboard_models($1, include_suspect => true)',
      [batchId],
    );
    expect(rows).toHaveLength(expected.models.length);
    for (const row of rows)
      for (const kind of ['best', 'last'] as const) {
        const ranking = expected[`${kind}_ranking`];
        close(row[`average_${kind}_rank`], ranking.average_rank[row.model]!, `average rank ${kind} ${row.model}`);
      }
  });

  test('profiles at points of the grid', async () => {
    const { rows } = await sql.query<{ kind: 'best' | 'last'; method: string; point: number; share: number }>(
      `select kind, method, point, share from performance_profiles(${CELLS})`,
      [batchId],
    );
    const shares = new Map(rows.map((row) => [`${row.kind} ${nameOf(row.method)} ${row.point}`, row.share]));
    for (const kind of ['best', 'last'] as const)
      for (const [name, samples] of Object.entries(expected.profile_samples[kind]))
        for (const [i, share] of samples.entries())
          close(shares.get(`${kind} ${name} ${expected.profile_sample_grid_index[i]}`), share, `${kind} ${name} ${i}`);
  });
});

interface Cell {
  method: string;
  is_baseline: boolean;
  task: string;
  direction: string;
  baseline: number | null;
  best: number | null;
  last: number | null;
  ran: boolean;
}
type Area = Record<string, number | null> & { method: string };

async function areasOf(cells: readonly Cell[], fixedAxis = 0): Promise<Map<string, Area>> {
  const { rows } = await sql.query<Area>(
    `select a.* from
       (select array_agg(row(c.*)::score_cell) as cells from jsonb_to_recordset($1::jsonb) as c(
         method text, is_baseline boolean, task text, direction text, baseline float8, best float8, last float8, ran boolean)) given,
       areas_under_profiles(given.cells, fixed_axis => $2) a`,
    [JSON.stringify(cells), fixedAxis],
  );
  return new Map(rows.map((row) => [row.method, row]));
}

const cell = (method: string, id: string, score: number | null, more: Partial<Cell> = {}): Cell => ({
  ...{ method, is_baseline: false, task: id, direction: 'maximize', baseline: 1, best: score, last: score, ran: true },
  ...more,
});

describe('edge cases', () => {
  test('a task that nobody solves leaves the profiles; one without a baseline knows only the sign', async () => {
    const areas = await areasOf([
      ...[cell('A', 'feasible', 4), cell('B', 'feasible', 2)],
      ...[cell('A', 'hopeless', 0.5), cell('B', 'hopeless', null)],
      ...[cell('A', 'free', 0.25, { baseline: null }), cell('B', 'free', -1, { baseline: null })],
    ]);
    expect(areas.get('A')).toMatchObject({ tasks: 2, best_feasible: 2, missing: 0 });
    expect(areas.get('B')).toMatchObject({ tasks: 2, best_feasible: 1, missing: 0 });
  });

  test('a task at which only the infrastructure failed is no penalty in strict mode, and is told', async () => {
    const both = [cell('A', 'one', 4), cell('B', 'one', 4), cell('A', 'two', 4)];
    const failed = await areasOf([...both, cell('B', 'two', null)]);
    const notRun = await areasOf([...both, cell('B', 'two', null, { ran: false })]);
    expect(failed.get('B')).toMatchObject({ missing: 1, not_run: 0 });
    expect(notRun.get('B')).toMatchObject({ missing: 0, not_run: 1, best_aup_strict: 1 });
    expect(failed.get('B')?.['best_aup_strict']).toBe(0.5);
    expect(notRun.get('B')?.['best_aup']).toBe(failed.get('B')?.['best_aup']);
  });

  test('zero is no ratio, and nothing at all gives no rows', async () => {
    const areas = await areasOf([cell('A', 'one', 0, { baseline: -1 }), cell('B', 'one', 2, { baseline: -1 })]);
    expect(areas.get('A')).toMatchObject({ best_feasible: 0, best_aup_strict: 0 });
    expect((await areasOf([cell('A', 'one', null)])).size).toBe(0);
    const absurd = await areasOf([
      cell('A', 'one', 1e-310, { direction: 'minimize' }),
      cell('B', 'one', 1e-20, { direction: 'minimize' }),
      cell('C', 'one', 1, { direction: 'minimize' }),
    ]);
    expect(absurd.get('B')).toMatchObject({ axis: 20.1, best_aup_strict: 1 });
    expect(absurd.get('A')).toMatchObject({ best_feasible: 0 });
  });
});

describe('on random comparisons', () => {
  const random = seededRandom(11);
  const comparisonAt = () => {
    const methods = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, i) => `m${i}`);
    return Array.from({ length: 1 + Math.floor(random() * 6) }, (_, t) => {
      const direction = random() < 0.5 ? 'maximize' : 'minimize';
      return methods.map((method) => {
        const score = random() < 0.15 ? null : 0.2 + 5 * random();
        return cell(method, `t${t}`, score, { direction, baseline: 1.5 });
      });
    }).flat();
  };
  const times = (score: number | null, factor: number) => (score === null ? null : score * factor);
  const figures = (areas: Map<string, Area>) =>
    [...areas]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([method, area]) => [method, area['best_aup_strict']!, area['best_aup']!] as const);

  test('the AUP is the same whatever the order of methods and the unit of a task', async () => {
    for (let i = 0; i < 20; i++) {
      const cells = comparisonAt();
      const scale = Object.fromEntries([...new Set(cells.map((c) => c.task))].map((id) => [id, 0.01 + 100 * random()]));
      const scaled = cells
        .map((c) => ({
          ...c,
          best: times(c.best, scale[c.task]!),
          last: times(c.last, scale[c.task]!),
          baseline: c.baseline! * scale[c.task]!,
        }))
        .sort(() => random() - 0.5);
      const [before, after] = [figures(await areasOf(cells)), figures(await areasOf(scaled))];
      expect(after.map(([method]) => method)).toEqual(before.map(([method]) => method));
      for (const [j, [method, strict, compat]] of before.entries()) {
        close(after[j]![1], strict, `strict ${method}`, 1e-9);
        // A ratio that lies on a point of the grid may fall on its other side: one step.
        close(after[j]![2], compat, `compat ${method}`, 0.01);
      }
    }
  });

  test('with the axis held, a better score never lowers the strict AUP', async () => {
    for (let i = 0; i < 20; i++) {
      const cells = comparisonAt();
      const at = Math.floor(random() * cells.length);
      const { direction, best, method } = cells[at]!;
      if (best === null) continue;
      const better = cells.map((c, j) =>
        j === at ? { ...c, best: direction === 'maximize' ? best * 1.3 : best / 1.3 } : c,
      );
      const before = (await areasOf(cells, 2)).get(method)?.['best_aup_strict'] ?? 0;
      const after = (await areasOf(better, 2)).get(method)?.['best_aup_strict'] ?? 0;
      expect(after).toBeGreaterThanOrEqual(before - 1e-12);
    }
  });

  test('the AUP by which intervals are computed is that of SQL', async () => {
    await fc.assert(
      fc.asyncProperty(comparisons(), fc.constantFrom(0, 0.7), async (tasks, fixedAxis) => {
        const ofData = profileAxis(tasks);
        const axis = ofData === null ? null : fixedAxis || ofData;
        const cells = tasks.flatMap(({ direction, baseline, cells: ofTask }, t) =>
          ofTask.map(({ best, last, ran }, m) =>
            cell(`m${m}`, `t${t}`, null, { direction, baseline, best, last, ran }),
          ),
        );
        const areas = await areasOf(cells, fixedAxis);
        expect(areas.size === 0).toBe(axis === null);
        for (const kind of ['best', 'last'] as const)
          for (const [suffix, mode] of Object.entries({ '': 'compat', _strict: 'strict' } as const)) {
            if (axis === null) continue;
            for (const [m, expected] of areasUnderProfiles(tasks, kind, mode, axis).entries()) {
              const area = areas.get(`m${m}`);
              if (expected === null) expect(area?.[`${kind}_aup${suffix}`] ?? null).toBeNull();
              else close(area?.[`${kind}_aup${suffix}`], expected, `${kind} ${mode} m${m}`, 1e-9);
              expect(area?.['axis']).toBe(axis);
            }
          }
      }),
      { seed: 17, numRuns: 60 },
    );
  });
});
