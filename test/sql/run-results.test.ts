import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signedLine } from '../../operations/records/export/line-signature.js';
import { importLines } from '../../operations/records/import/import-lines.js';
import { type Database, openDatabase } from '../../db/index.js';
import type { EndReason } from '../../domain/run/outcomes.js';
import { evaluate, run, submission, task } from '../fixtures/rows.js';
import { pick, seededRandom } from '../setup/random.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const SEED = Number(process.env['BENCH_RESULTS_SEED'] ?? 1);

const server = sharedDatabases();
let db: Database;
let sql: pg.Client;
let url: string;
beforeAll(async () => {
  url = await server.createDatabase();
  db = openDatabase(url);
  sql = new pg.Client({ connectionString: url });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await db.close();
});

const rows = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  (await sql.query<Record<string, unknown>>(text, values)).rows;

/** What run_results have and the definition has not, or the other way round. */
const differences = () =>
  rows(
    `(select 'kept' as only_in, k.* from run_results k except select 'kept', d.* from find_run_results() d)
     union all (select 'defined', d.* from find_run_results() d except select 'defined', k.* from run_results k)`,
  );

/** Scores of every run from its evaluations, by docs/concepts/leaderboard.md. */
async function scoresByHand(includeSuspect: boolean) {
  interface Evaluation {
    number: number;
    status: string;
    score: number | null;
    suspect: boolean;
    isolation: string | null;
    /** The score that the agent saw: of the validation split, where there is one. */
    shown: number | null;
  }
  const runs = await rows(
    `select r.run_id, v.direction, v.bound_min, v.bound_max, r.isolation = 'none' as bare,
       exists (select from integrity_flags m where m.run_id = r.run_id and m.rule <> 'beyond_bounds') as flagged,
       coalesce((select json_agg(json_build_object('number', e.number, 'status', e.status, 'score', e.primary_score,
         'suspect', e.suspect, 'isolation', e.isolation, 'shown', case when o.run_id is null then e.primary_score
           when o.status = 'ok' then o.primary_score end) order by e.number)
        from evaluations e left join evaluations o
          on o.run_id = e.run_id and o.step = e.step and o.kind = e.kind and o.split = 'validation' where e.run_id = r.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status not in ('pending', 'not_run')), '[]') as tried
     from runs r join task_versions v on v.content_hash = r.task_hash order by r.run_id`,
  );
  return runs.map((r) => {
    const tried = r['tried'] as Evaluation[];
    const [min, max] = [r['bound_min'] ?? -Infinity, r['bound_max'] ?? Infinity] as [number, number];
    const suspect = (e: Evaluation) =>
      e.suspect ||
      (e.score !== null && (e.score < min || e.score > max)) ||
      (e.status === 'ok' && r['flagged'] === true);
    const good = tried.filter((e) => e.status === 'ok' && (includeSuspect || !suspect(e)));
    let best: Evaluation | undefined;
    for (const e of good) {
      if (e.score === null || e.shown === null) continue;
      const better =
        best?.shown == null || (r['direction'] === 'maximize' ? e.shown > best.shown : e.shown < best.shown);
      if (better) best = e;
    }
    const last = good.at(-1);
    return {
      run_id: r['run_id'],
      isolation: r['bare'] === true || tried.some((e) => e.isolation === 'none') ? 'none' : 'container',
      best_attempt: best?.score ?? null,
      best_number: best?.number ?? null,
      last_attempt: last?.score ?? null,
      last_number: last?.number ?? null,
      evaluations: String(tried.length),
      suspects: String(tried.filter(suspect).length),
    };
  });
}
const scoresOfSql = (includeSuspect: boolean) =>
  rows(
    `select run_id, isolation, best_attempt, best_number, last_attempt, last_number, evaluations, suspects
     from score_runs($1) order by run_id`,
    [includeSuspect],
  );

describe('what is written down of runs', () => {
  test(`is what their evaluations say, whatever happens to them (BENCH_RESULTS_SEED=${SEED})`, async () => {
    const next = seededRandom(SEED);
    const below = (n: number) => Math.floor(next() * n);
    const tasks = [task('up'), task('down', 'minimize'), task('told')];
    await sql.query(
      `insert into task_integrity (task_id, contract, protected_files, self_reported) values ('told', 1, '{}', true)`,
    );
    const batch = submission(null, (id) =>
      Array.from({ length: 18 }, (_, i) => ({
        ...run(id, tasks[i % 3]!, `m${i % 2}`, i + 1),
        model: { name: `m${i % 2}`, kind: 'real' as const, provider: 'p', model: 'm' },
      })),
    );
    await db.intake.submit(batch);
    for (const [i, { runId }] of batch.runs.entries()) {
      for (let step = 1; step <= below(5); step++) {
        const outcome = pick(next, [below(20) / 4, below(20) / 4, 1000, 'rejected', 'no_artefact'] as const);
        const onValidation =
          next() < 0.2
            ? ({ status: 'rejected', metrics: null, primary: null } as const)
            : ({ status: 'ok', metrics: {}, primary: below(20) / 4 } as const);
        const more = {
          isolation: next() < 0.1 ? ('none' as const) : ('container' as const),
          suspect: next() < 0.1,
          otherSplits:
            next() < 0.5 ? [] : [{ split: 'validation' as const, suspect: false, message: '', ...onValidation }],
        };
        await evaluate(db, runId, step, 'validate', outcome, more);
      }
      // Begun, and never over.
      if (next() < 0.3) await db.store.evaluationNumber(runId, 9, 'forced');
      const endReason = pick<EndReason>(next, ['submit', 'max_steps', 'infra_error']);
      if (i % 6 !== 5) await db.store.finishRun(runId, { endReason, finalEvaluation: 'ok', detail: null });
    }
    const agrees = async () => {
      expect(await differences()).toEqual([]);
      for (const suspect of [false, true]) expect(await scoresOfSql(suspect)).toEqual(await scoresByHand(suspect));
      expect(
        await rows(
          `select from runs r join run_results t using (run_id) where r.best_score is distinct from t.best_attempt_of_all`,
        ),
      ).toEqual([]);
    };
    await agrees();
    // Forks copy evaluations, imports bring runs; evaluations, flags and bounds change.
    const [first, second] = batch.runs.map(({ runId }) => runId) as [string, string];
    await sql.query(
      `insert into steps (run_id, step, response, thought, action, executed_at)
       select $1, s, '', '', 'ls', now() from generate_series(1, 4) s`,
      [first],
    );
    const fork = submission(null, (id) => [{ ...run(id, tasks[0]!, 'm0', 1), forkedFrom: { runId: first, step: 4 } }]);
    await db.intake.submit(fork);
    await sql.query(`update evaluations set primary_score = primary_score + 1 where step = 2`);
    await sql.query(
      `update evaluations set status = 'rejected', primary_score = null where step = 3 and status = 'ok'`,
    );
    await sql.query(`update evaluations set run_id = $2, step = 70, number = 70 where run_id = $1 and step = 1`, [
      first,
      second,
    ]);
    await agrees();
    await sql.query(`delete from evaluations where step = 1`);
    await sql.query(
      `insert into integrity_flags (run_id, rule, detail, version)
       select run_id, 'protected_write', '', 1 from runs where ordinal % 2 = 0 on conflict do nothing`,
    );
    await agrees();
    await sql.query(`delete from integrity_flags where rule = 'protected_write'`);
    await sql.query(`update task_versions set bound_max = 3 where task_id = 'up'`);
    await sql.query(`update task_versions set direction = 'maximize', bound_min = 1 where task_id = 'down'`);
    await agrees();
    const folder = mkdtempSync(join(tmpdir(), 'bench-results-'));
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    await writeFile(join(folder, 'run.jsonl'), signedLine(db.exports.line(second), privateKey));
    await sql.query('begin');
    for (const table of ['evaluations', 'steps', 'model_calls', 'events', 'integrity_flags', 'run_results', 'runs'])
      await sql.query(`delete from ${table} where run_id = $1`, [second]);
    await sql.query('commit');
    expect(await importLines(db, join(folder, 'run.jsonl'), { ownKey: publicKey })).toMatchObject([
      { outcome: 'imported' },
    ]);
    rmSync(folder, { recursive: true });
    await agrees();
    // From nothing it is the same again.
    await sql.query('delete from run_results');
    await sql.query('select refresh_run_results()');
    await agrees();
  });

  test('misses nothing when two write to one run at the same moment', async () => {
    const batch = submission(null, (id) => [run(id, task('both'), 'm', 1)]);
    await db.intake.submit(batch);
    const { runId } = batch.runs[0]!;
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    const insert = (client: pg.Client, number: number) =>
      client.query(
        `insert into evaluations (run_id, step, kind, number, status, primary_score, evaluator_version, contract)
         values ($1, $2::int, 'validate', $2::int, 'ok', $2::int, 'v', 1)`,
        [runId, number],
      );
    try {
      await sql.query('begin');
      await insert(sql, 1);
      const second = insert(other, 2);
      // It waits for the first one's end.
      await expect
        .poll(
          () => rows(`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`),
          { timeout: 300_000 },
        )
        .toHaveLength(1);
      await sql.query('commit');
      await second;
    } finally {
      await other.end();
    }
    expect(await rows('select evaluations, best_attempt from run_results where run_id = $1', [runId])).toEqual([
      { evaluations: 2, best_attempt: 2 },
    ]);
  });
});

test('the baselines have the ranks that average_ranks() gives them', async () => {
  const [ranks] = await rows(
    `with grid as (select array_agg(l) as cells from leaderboard(include_local => true, include_scripted => true) l)
     select b.*, (select json_object_agg(a.kind, a.average_rank) from average_ranks(compared_cells(g.cells)) a
       where a.is_baseline) as expected
     from grid g left join baseline_ranks(g.cells) b on true`,
  );
  expect(ranks).toMatchObject({ expected: null, average_best_rank: null });
  await sql.query(
    `insert into baselines (content_hash, value, standard_error) select content_hash, 2, 0 from task_versions`,
  );
  const [with2] = await rows(
    `with grid as (select array_agg(l) as cells from leaderboard(include_local => true, include_scripted => true) l)
     select b.*, (select json_object_agg(a.kind, a.average_rank) from average_ranks(compared_cells(g.cells)) a
       where a.is_baseline) as expected
     from grid g cross join baseline_ranks(g.cells) b`,
  );
  expect(with2?.['expected']).toEqual({
    best: with2?.['average_best_rank'],
    last: with2?.['average_last_rank'],
  });
});

test('the figures for Prometheus are the rows that there are', async () => {
  const batch = submission(null, (id) => [1, 2].map((attempt) => run(id, task('asked'), 'm', attempt)));
  await db.intake.submit(batch);
  const usage = { inputTokens: 100, outputTokens: 10, cachedTokens: 0, reasoningTokens: 0 };
  const reply = { text: 'ls', usage, costUsd: '0.25', finishReason: 'stop' };
  const request = { provider: 'scripted', model: 'm', messages: [], reservedUsd: '0.5' };
  for (const [i, { runId }] of batch.runs.entries()) {
    for (let step = 1; step <= 3; step++) {
      const key = { runId, step, try: 0 };
      await db.store.reserveCall(key, request);
      if (step < 3) await db.store.settleCall(key, reply, 5);
      // A second answer to the same question is none.
      if (step === 1) await db.store.settleCall(key, reply, 5);
      if (step === 3 && i === 0) await db.store.failCall(key, 'overloaded', 'no');
    }
  }
  await db.store.evaluationNumber(batch.runs[0]!.runId, 3, 'validate');
  const figures = new Map((await db.queries.metrics()).map(({ name, samples }) => [name, samples]));
  const byLabels = (samples: readonly { labels?: object; value: number }[] = []) =>
    samples.map(({ labels, value }) => `${Object.values(labels ?? {}).join(' ')}: ${value}`).sort();
  const counted = async (text: string) => (await rows(text)).map(({ of, n }) => `${String(of)}: ${String(n)}`).sort();
  expect(byLabels(figures.get('bench_model_calls_total'))).toEqual(
    await counted(
      `select provider || ' ' || status as of, count(*) as n from model_calls where status <> 'reserved' group by 1`,
    ),
  );
  // A counter never falls: what is under way is none.
  expect(byLabels(figures.get('bench_model_calls_in_flight'))).toEqual(['scripted: 1']);
  expect(byLabels(figures.get('bench_model_tokens_total'))).toEqual(
    await counted(
      `select provider || ' ' || d as of, sum(case d when 'input' then input_tokens else output_tokens end) as n
       from model_calls, unnest('{input,output}'::text[]) d where status = 'confirmed' group by 1`,
    ),
  );
  expect(byLabels(figures.get('bench_model_cost_usd_total'))).toEqual(['scripted: 1']);
  expect(byLabels(figures.get('bench_evaluations_total'))).toEqual(
    await counted(
      `select kind || ' ' || status as of, count(*) as n from evaluations where status <> 'pending' group by 1`,
    ),
  );
  expect(byLabels(figures.get('bench_evaluations_pending'))).toEqual(
    await counted(`select kind as of, count(*) as n from evaluations where status = 'pending' group by 1`),
  );
  expect(byLabels(figures.get('bench_evaluations_pending'))).toContain('validate: 1');
  expect(byLabels(figures.get('bench_runs'))).toEqual(
    await counted('select status as of, count(*) as n from runs group by 1'),
  );
  expect(byLabels(figures.get('bench_steps_total'))).toEqual(
    await counted(`select '' as of, sum(step) as n from runs`),
  );
});
