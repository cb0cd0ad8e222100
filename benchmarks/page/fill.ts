import type pg from 'pg';
import type { Database } from '../../db/index.js';

export interface Sizes {
  runs: number;
  giantSteps: number;
  giantBytes: number;
  longSteps: number;
  exported: number;
}

/** Real ids: any other reference searches all runs. */
const id = (prefix: 'r' | 'b', word: string): string => `${prefix}-${word.padStart(26, '0')}`;

export const IDS = {
  small: id('r', 'few'),
  giant: id('r', 'gb'),
  long: id('r', 'many'),
  live: id('r', 'next'),
} as const;
export const BATCHES = {
  board: id('b', 'brd'),
  many: id('b', 'many'),
  single: id('b', 'sng'),
  export: id('b', 'exp'),
  watched: id('b', 'watch'),
} as const;
/** Of each of two compared runs. */
export const PAIR_STEPS = 1_000;

/** Rows like those of real runs, in each of the measured sizes. */
export async function fill(db: Database, sizes: Sizes, say: (text: string) => void): Promise<void> {
  const connection = await db.pool.connect();
  const sql = (text: string, values: unknown[] = []) =>
    connection.query({ text, values, query_timeout: 600_000 } as pg.QueryConfig);
  const batch = (id: string): Promise<unknown> =>
    sql(
      `insert into batches (batch_id, name, spec, seed, concurrency, status) values ($1, $1, '{}', 0, 8, 'running')`,
      [id],
    );
  const runs = (id: string, prefix: string, models: number, tasks: number, attempts: number, steps: number) =>
    sql(
      `insert into runs (run_id, batch_id, shard, ordinal, model_name, model_kind, provider, provider_model, sampling, task_id,
         task_hash, contract, agent_name, agent_hash, attempt, seed, max_steps, wall_seconds, backend, gpus, harness_version,
         status, isolation, step, input_tokens, output_tokens, cost_usd, answered_calls, end_reason, final_evaluation, started_at, ended_at,
         integrity_version)
       select 'r-' || lpad($2 || lpad((row_number() over ())::text, 6, '0'), 26, '0'), $1, 0, row_number() over (), 'model ' || m, 'real', 'p', 'm', '{}', 'task-' || t,
         'task-' || t, 1, 'a', 'a', k, 0, greatest($6, 50), 0, 'docker', 0, 'benchmark',
         'ended', 'container', $6, 100000 + m, 2000, 0.27 + m * 0.001, 50, (array['submit', 'max_steps', 'cost'])[1 + m % 3], 'ok', now(), now(),
         integrity_rules_version()
       from generate_series(1, $3::int) m, generate_series(1, $4::int) t, generate_series(1, $5::int) k`,
      [id, prefix, models, tasks, attempts, steps],
    );
  const evaluations = (id: string) =>
    sql(
      `insert into evaluations (run_id, step, kind, number, status, metrics, primary_score, isolation, evaluator_version, contract)
       select run_id, 5 * n, 'validate', n, 'ok', '{}', 0.5 + 3 * abs(sin(hashtext(run_id || n)::float8)), 'container', 'v', 1
       from runs, generate_series(1, 2) n where batch_id = $1`,
      [id],
    );
  const steps = (where: string, count: number, bytes: number) =>
    sql(
      `insert into steps (run_id, step, response, thought, action, observation, exit_code, output_bytes, command_ms, model_ms, requested)
       select run_id, s, 'I train once more.', 'I train once more.', case when s % 10 = 0 then 'validate' else 'python train.py --epochs ' || s end,
         'epoch ' || s || E' begins\\n' || repeat(E'loss 0.12345 accuracy 0.98765 learning rate 0.00100 of a step\\n', $2::int / 64), 0, $2::int, 1200, 3400,
         case when s % 10 = 0 then 'validate' end
       from runs, generate_series(1, $1::int) s where ${where}`,
      [count, bytes],
    );
  const one = async (id: string, count: number, status: 'ended' | 'running'): Promise<void> => {
    await sql(
      `insert into runs (run_id, batch_id, shard, ordinal, model_name, model_kind, provider, provider_model, sampling, task_id,
         task_hash, contract, agent_name, agent_hash, attempt, seed, max_steps, wall_seconds, backend, gpus, harness_version,
         status, isolation, step, input_tokens, output_tokens, cost_usd, answered_calls, end_reason, final_evaluation, started_at, ended_at,
         integrity_version)
       values ($1, $2, 0, (select count(*) from runs where batch_id = $2), $1, 'real', 'p', 'm', '{}', 'task-1', 'task-1', 1, 'a', 'a', 1, 0, 100000, 0,
         'docker', 0, 'benchmark', $4, 'container', $3::int, 1000, 100, 0.1, 1,
         case when $4 = 'ended' then 'submit' end, case when $4 = 'ended' then 'ok' end, now(), case when $4 = 'ended' then now() end,
         case when $4 = 'ended' then integrity_rules_version() end)`,
      [id, BATCHES.single, count, status],
    );
  };
  try {
    await sql('set statement_timeout = 0');
    // No rules run here: over so many runs they would exceed the measured work.
    for (const table of ['runs', 'steps']) await sql(`alter table ${table} disable trigger user`);
    await sql('begin');
    await sql(`insert into agent_configs (hash, name, content) values ('a', 'a', '{}') on conflict do nothing`);
    await sql(
      `insert into task_versions (content_hash, task_id, contract, name, spec, primary_metric, direction)
       select 'task-' || t, 'task-' || t, 1, 'Task ' || t, '{}', 'score', 'maximize' from generate_series(1, 50) t`,
    );
    await sql(
      `insert into baselines (content_hash, value, standard_error) select 'task-' || t, 1, 0.05 from generate_series(1, 50) t`,
    );
    for (const id of Object.values(BATCHES)) await batch(id);
    say('10,000 runs of a leaderboard');
    const onBoard = Math.min(10_000, sizes.runs);
    await runs(BATCHES.board, 'brd', onBoard / 100, 20, 5, 0);
    await evaluations(BATCHES.board);
    say('the runs of the list');
    if (sizes.runs > onBoard) await runs(BATCHES.many, 'mny', Math.round((sizes.runs - onBoard) / 500), 50, 10, 0);
    await sql('commit');
    say('runs with steps');
    await sql('begin');
    // Uncompressed text costs the reader the same, and takes no time to make.
    await sql('alter table steps alter observation set storage external');
    await one(IDS.small, 50, 'ended');
    await one(IDS.giant, sizes.giantSteps, 'ended');
    await one(IDS.long, sizes.longSteps, 'ended');
    await one(IDS.live, 20, 'running');
    await steps(`run_id = '${IDS.small}'`, 50, 2_000);
    await steps(`run_id = '${IDS.live}'`, 20, 2_000);
    await steps(`run_id = '${IDS.long}'`, sizes.longSteps, 128);
    await steps(`run_id = '${IDS.giant}'`, sizes.giantSteps, sizes.giantBytes);
    say('the batch that is exported');
    await runs(BATCHES.export, 'exp', 6, 20, Math.max(1, Math.round(sizes.exported / 120)), 50);
    await evaluations(BATCHES.export);
    await steps(`batch_id = '${BATCHES.export}'`, 50, 2_000);
    say('the batch that is watched');
    await runs(BATCHES.watched, 'wat', 10, 50, 10, 10);
    await sql(
      `update runs set status = 'running', end_reason = null, final_evaluation = null, ended_at = null where batch_id = $1`,
      [BATCHES.watched],
    );
    await sql(`update batches set status = 'ended', ended_at = now() where batch_id = any ($1)`, [
      [BATCHES.board, BATCHES.many, BATCHES.export],
    ]);
    await sql('commit');
    await sql('alter table steps alter observation set storage extended');
    for (const table of ['runs', 'steps']) await sql(`alter table ${table} enable trigger user`);
    await sql('vacuum analyze');
    await sql('checkpoint');
    await sql('reset statement_timeout');
  } finally {
    connection.release();
  }
}

/** Extends played runs to a thousand steps, half of them equal. */
export async function lengthen(db: Database, runIds: readonly string[]): Promise<void> {
  await db.pool.query(`delete from steps where run_id = any ($1)`, [runIds]);
  await db.pool.query(
    `insert into steps (run_id, step, response, thought, action, observation, exit_code, output_bytes, command_ms, model_ms)
     select run_id, s, 'I train once more.', 'I train once more.',
       case when nth = 2 and s % 2 = 0 then 'cat train.py' else 'python train.py --epochs ' || s end,
       'epoch ' || s || E' begins\\n' || repeat(E'loss 0.12345 accuracy 0.98765\\n', 60), 0, 2000, 1200, 3400
     from unnest($1::text[]) with ordinality as of (run_id, nth), generate_series(1, $2::int) s`,
    [runIds, PAIR_STEPS],
  );
  await db.pool.query(`update runs set step = $2 where run_id = any ($1)`, [runIds, PAIR_STEPS]);
}

export async function addStep(db: Database, step: number): Promise<void> {
  await db.pool.query(
    `with added as (
       insert into steps (run_id, step, response, thought, action, observation, exit_code, output_bytes, command_ms, model_ms, executed_at)
       values ($1, $2, 'on', 'on', 'python train.py', 'done', 0, 4, 10, 10, now())
     ) update runs set step = $2, updated_at = now() where run_id = $1`,
    [IDS.live, step],
  );
}
