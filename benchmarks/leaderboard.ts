/**
 * The leaderboard with all figures and 1,000 resamples, cold and warm: 1,000 and 10,000 runs of 50
 * steps, and 100,000 runs with results alone (it reads no steps); and the figures for Prometheus.
 *
 *   npm run benchmark:leaderboard -- [--repeat 15] [--most 100000]
 */
import { parseArgs } from 'node:util';
import { type Database, openDatabase } from '../db/index.js';
import { quantile } from '../domain/statistics/quantile.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import { ThrowawayHome } from './throwaway-home.js';

const { values } = parseArgs({
  options: { repeat: { type: 'string', default: '15' }, most: { type: 'string', default: '100000' } },
});
const repeat = Number(values.repeat);
const STEPS = 50;

interface Size {
  models: number;
  tasks: number;
  attempts: number;
  steps: number;
  evaluations: number;
}
const SIZES: Size[] = [
  { models: 20, tasks: 10, attempts: 5, steps: STEPS, evaluations: 9 },
  { models: 100, tasks: 20, attempts: 5, steps: STEPS, evaluations: 9 },
  { models: 200, tasks: 50, attempts: 10, steps: 0, evaluations: 2 },
];

/** Models × tasks × attempts, each with steps, evaluations and a model call per step. */
async function fill(db: Database, { models, tasks, attempts, steps, evaluations }: Size): Promise<void> {
  const batch = `b-${models}x${tasks}`;
  const connection = await db.pool.connect();
  const fillIn = (sql: string, more: unknown[] = []) => connection.query({ text: sql, values: more });
  await fillIn('begin');
  await fillIn(`insert into batches (batch_id, spec, seed, concurrency, status) values ($1, '{}', 0, 1, 'ended')`, [
    batch,
  ]);
  await fillIn(`insert into agent_configs (hash, name, content) values ('a', 'a', '{}') on conflict do nothing`);
  await fillIn(
    `insert into task_versions (content_hash, task_id, contract, name, spec, primary_metric, direction)
     select $1 || t, $1 || t, 1, 'Task ' || t, json_build_object('target', case t % 2 when 0 then 3 else 0.5 end)::jsonb, 'score', case t % 2 when 0 then 'maximize' else 'minimize' end
     from generate_series(1, $2::int) t`,
    [batch, tasks],
  );
  await fillIn(
    `insert into baselines (content_hash, value, standard_error) select $1 || t, 1, 0.05 from generate_series(1, $2::int) t`,
    [batch, tasks],
  );
  await fillIn(
    `insert into runs (run_id, batch_id, shard, ordinal, model_name, model_kind, provider, provider_model, sampling, task_id,
       task_hash, contract, agent_name, agent_hash, attempt, seed, max_steps, wall_seconds, backend, gpus, harness_version,
       status, integrity_version, isolation, step, input_tokens, output_tokens, cost_usd, answered_calls, end_reason, final_evaluation, ended_at)
     select $1 || '-' || m || '-' || t || '-' || k, $1, 0, row_number() over (), 'model ' || m, 'real', 'p', 'm', '{}', $1 || t,
       $1 || t, 1, 'a', 'a', k, 0, $5, 0, 'docker', 0, 'benchmark',
       'ended', case $5::int when 0 then integrity_rules_version() end, 'container', $5, 100000, 2000, 0.27, $5, 'submit', 'ok', now()
     from generate_series(1, $2::int) m, generate_series(1, $3::int) t, generate_series(1, $4::int) k`,
    [batch, models, tasks, attempts, steps],
  );
  await fillIn(
    `insert into steps (run_id, step, response, thought, action, observation, exit_code)
     select run_id, s, repeat('thought ', 20), '', 'python train.py', repeat('output ', 40), 0
     from runs, generate_series(1, step) s where batch_id = $1`,
    [batch],
  );
  await fillIn(
    `insert into evaluations (run_id, step, kind, number, status, metrics, primary_score, isolation, evaluator_version, contract)
     select run_id, 5 * n, 'validate', n, 'ok', '{}',
       0.5 + 3 * abs(sin(hashtext(run_id || n)::float8)), 'container', 'v', 1
     from runs, generate_series(1, $2::int) n where batch_id = $1`,
    [batch, evaluations],
  );
  await fillIn(
    `insert into model_calls (run_id, step, try, attempt, provider, model, request_hash, request_messages, status, response,
       input_tokens, output_tokens, cost_usd)
     select run_id, s, 0, 1, 'p', 'm', md5(run_id || s), 3, 'confirmed', repeat('thought ', 20), 2000, 40, 0.0054
     from runs, generate_series(1, step) s where batch_id = $1`,
    [batch],
  );
  // The rules run here, but runs without steps get no flags.
  await fillIn('commit');
  connection.release();
  await db.pool.query('vacuum analyze');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function warm(work: () => Promise<unknown>, rounds = repeat): Promise<{ p50: number; p95: number }> {
  await work();
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) times.push(await timed(work));
  return { p50: Math.round(quantile(times, 0.5)), p95: Math.round(quantile(times, 0.95)) };
}

async function cpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < repeat; i++) await work();
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 1000 / repeat);
}

const home = new ThrowawayHome('leaderboard');
try {
  const open = async () => openDatabase((await home.bench<ServiceEndpoints>('up')).databaseUrl);
  const results = [];
  for (const size of SIZES) {
    const { models, tasks, attempts, steps } = size;
    const runs = models * tasks * attempts;
    if (runs > Number(values.most)) continue;
    let db = await open();
    const fillMs = Math.round(await timed(() => fill(db, size)));
    await db.close();
    await home.bench('down');
    db = await open();
    const board = { batchId: `b-${models}x${tasks}` };
    const coldMs = Math.round(await timed(() => db.queries.leaderboard(board)));
    const row = {
      ...{ runs, steps: runs * steps, models, tasks, attempts, fillMs, coldMs },
      warmMs: await warm(() => db.queries.leaderboard(board)),
      ofThisProcessMs: await cpu(() => db.queries.leaderboard(board)),
      // Cached from then on.
      firstIntervalsMs: Math.round(await timed(() => db.queries.leaderboard({ ...board, intervals: true }))),
      withIntervalsMs: await warm(() => db.queries.leaderboard({ ...board, intervals: true })),
      ofThisProcessWithIntervalsMs: await cpu(() => db.queries.leaderboard({ ...board, intervals: true })),
      prometheusMs: await warm(() => db.queries.metrics()),
    };
    await db.close();
    results.push(row);
    process.stderr.write(
      `${row.runs} runs, ${row.steps} steps, ${models} models x ${tasks} tasks: leaderboard cold ${coldMs} ms, ` +
        `warm p50 ${row.warmMs.p50} ms, p95 ${row.warmMs.p95} ms (this process ${row.ofThisProcessMs} ms of CPU), with intervals first ${row.firstIntervalsMs} ms, then p50 ${row.withIntervalsMs.p50} ms; Prometheus p50 ${row.prometheusMs.p50} ms\n`,
    );
  }
  process.stdout.write(`${JSON.stringify({ benchmark: 'leaderboard', results })}\n`);
} finally {
  await home.remove();
}
