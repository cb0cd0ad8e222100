/**
 * Time to recompute rewards of 10,000 stored episodes of 20 steps and 5 evaluations, by preset, 2 %
 * of them ended by an infrastructure fault. `cpuMs`: of the database.
 *
 *   npm run benchmark:rewards -- [--episodes 10000]
 */
import { parseArgs } from 'node:util';
import { type Database, openDatabase } from '../db/index.js';
import { DEFAULT_REWARD, REWARD_PRESETS } from '../domain/requests/reward.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import { cpuTimeMs } from './cpu-time.js';
import { ThrowawayHome } from './throwaway-home.js';

const { values } = parseArgs({ options: { episodes: { type: 'string', default: '10000' } } });
const episodes = Number(values.episodes);
const TASKS = 10;
const STEPS = 20;
const EVALUATIONS = 5;

async function fill(db: Database): Promise<void> {
  const connection = await db.pool.connect();
  const fillIn = (text: string, more: unknown[] = []) => connection.query({ text, values: more });
  await fillIn('begin');
  await fillIn(
    `insert into batches (batch_id, spec, seed, concurrency, status) values ('b-rewards', '{}', 0, 1, 'ended')`,
  );
  await fillIn(`insert into agent_configs (hash, name, content) values ('a', 'a', '{}')`);
  await fillIn(
    `insert into task_versions (content_hash, task_id, contract, name, spec, primary_metric, direction)
     select 't' || t, 't' || t, 1, 'Task ' || t, '{"splits": ["validation", "test"]}', 'score', case t % 2 when 0 then 'maximize' else 'minimize' end
     from generate_series(1, $1::int) t`,
    [TASKS],
  );
  await fillIn(
    `insert into baselines (content_hash, value, standard_error) select content_hash, 1, 0 from task_versions`,
  );
  await fillIn(
    `insert into runs (run_id, batch_id, shard, ordinal, model_name, model_kind, provider, provider_model, sampling, task_id,
       task_hash, contract, agent_name, agent_hash, attempt, seed, max_steps, wall_seconds, backend, gpus, harness_version,
       status, isolation, step, end_reason, final_evaluation, ended_at)
     select 'r-' || n, 'b-rewards', 0, n, 'policy', 'human', 'p', 'm', '{}', 't' || n % $2 + 1, 't' || n % $2 + 1, 1, 'a', 'a', n,
       n, $3, 0, 'docker', 0, 'benchmark', 'ended', 'container', $3,
       case n % 50 when 0 then 'infra_error' else 'submit' end, case n % 50 when 0 then 'not_run' else 'ok' end, now()
     from generate_series(1, $1::int) n`,
    [episodes, TASKS, STEPS],
  );
  await fillIn(
    `insert into steps (run_id, step, response, thought, action, observation, exit_code)
     select run_id, s, repeat('thought ', 20), '', 'python train.py', repeat('output ', 40), s % 7
     from runs, generate_series(1, step) s`,
  );
  await fillIn(
    `insert into turns (run_id, step, try, messages, reply)
     select run_id, s, t, '[]', repeat('thought ', 20) from runs, generate_series(1, step) s, generate_series(0, (hashtext(run_id || s) % 10 = 0)::int) t`,
  );
  await fillIn(
    `insert into evaluations (run_id, step, kind, split, number, status, metrics, primary_score, isolation, evaluator_version, contract)
     select run_id, $1::int * n, case n when $2 then 'submit' else 'validate' end, split, n, 'ok', '{}',
       0.5 + abs(sin(hashtext(run_id || n)::float8)), 'container', 'v', 1
     from runs, generate_series(1, $2::int) n, unnest('{validation,test}'::text[]) split`,
    [STEPS / EVALUATIONS, EVALUATIONS],
  );
  await fillIn('commit');
  connection.release();
  await db.pool.query('vacuum analyze');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return Math.round(performance.now() - start);
}

const home = new ThrowawayHome('rewards');
try {
  const db = openDatabase((await home.bench<ServiceEndpoints>('up')).databaseUrl);
  const fillMs = await timed(() => fill(db));
  process.stderr.write(`filled in ${fillMs} ms\n`);
  const postgres = home.pid('postgres');
  const cpu = () => (postgres === null ? 0 : cpuTimeMs([postgres]));
  const results = [];
  for (const [reward, request] of Object.entries({ delta_prev: DEFAULT_REWARD, ...REWARD_PRESETS })) {
    const cpuBefore = cpu();
    const stepsMs = await timed(() => db.pool.query('select * from episode_rewards(null, $1)', [request]));
    const episodesMs = await timed(() => db.pool.query('select * from episode_returns(null, $1)', [request]));
    const cpuMs = cpu() - cpuBefore;
    results.push({ reward, stepsMs, episodesMs, cpuMs });
    process.stderr.write(
      `${reward}: ${episodes * STEPS} steps ${stepsMs} ms, ${episodes} episodes ${episodesMs} ms, CPU of both ${cpuMs} ms\n`,
    );
  }
  await db.close();
  process.stdout.write(
    `${JSON.stringify({ benchmark: 'rewards', episodes, steps: episodes * STEPS, fillMs, results })}\n`,
  );
} finally {
  await home.remove();
}
