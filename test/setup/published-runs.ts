import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';
import { newBatchId, newRunId } from '../../domain/ids.js';
import { readExitStatus } from '../../domain/mlgym/exit-status.js';
import { MLGYM_CONTRACT, MLGYM_TASKS } from '../../domain/mlgym/tasks.js';
import { notTested } from './not-tested.js';

export const PUBLISHED =
  process.env['BENCH_TEST_PUBLISHED'] ?? join(import.meta.dirname, '../../../shared/data/mlgym-bench-v0');
export const publishedIsHere = existsSync(PUBLISHED);
if (!publishedIsHere)
  notTested('published runs of MLGym-Bench', `they are not part of the repository, and not at ${PUBLISHED}`);

export interface PublishedRun {
  dir: string;
  model: string;
  task: string;
  run_index: number;
  scores: Record<string, number>[];
  has_trajectory: boolean;
  exit_status: string | null;
  last_assistant_action: string | null;
  model_stats: { total_cost: number; tokens_sent: number; tokens_received: number; api_calls: number } | null;
  n_steps: number | null;
  action_heads: string[] | null;
}

export const publishedRuns = (): PublishedRun[] =>
  gunzipSync(readFileSync(join(PUBLISHED, 'runs.jsonl.gz')))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PublishedRun);

/** Stores published runs as imported ones, in one transaction. Actions are first words only. */
export async function storePublishedRuns(
  sql: pg.Client,
  runs: readonly PublishedRun[],
  baselineOf: (task: string) => number | null,
): Promise<string> {
  const batchId = newBatchId();
  const rows = runs.map((run, ordinal) => {
    const end = readExitStatus(run.exit_status, run.last_assistant_action);
    return {
      ...{ run_id: newRunId(), ordinal, model: run.model, task: run.task, attempt: run.run_index + 1 },
      ...{ end_reason: end.endReason, final_evaluation: end.finalEvaluation, exit_status: end.exitStatus },
      ...{ step: run.n_steps ?? 0, cost: run.model_stats?.total_cost, calls: run.model_stats?.api_calls },
      ...{ sent: run.model_stats?.tokens_sent ?? 0, received: run.model_stats?.tokens_received ?? 0 },
      ...{ scores: run.scores, metric: MLGYM_TASKS[run.task]!.metric, actions: run.action_heads ?? [] },
    };
  });
  const tasks = [...new Set(runs.map(({ task }) => task))].map((task) => {
    const { label, metric, direction, bounds, target, standardError } = MLGYM_TASKS[task]!;
    const own = { task, hash: `${batchId}-${task}`, baseline: baselineOf(task) };
    return { ...own, label, metric, direction, min: bounds?.min, max: bounds?.max, standardError, spec: { target } };
  });
  await sql.query('begin');
  await sql.query(
    `insert into batches (batch_id, origin, spec, seed, concurrency, status) values ($1, 'mlgym', '{}', 0, 1, 'ended')`,
    [batchId],
  );
  await sql.query(
    `insert into agent_configs (hash, name, content) values ('published', 'published', '{}') on conflict do nothing`,
  );
  await sql.query(
    `with given as (
       select * from jsonb_to_recordset($1::jsonb) as t (task text, hash text, label text, metric text, direction text,
         baseline float8, min float8, max float8, "standardError" float8, spec jsonb)
     ), versions as (
       insert into task_versions (content_hash, task_id, contract, name, spec, primary_metric, direction, bound_min, bound_max)
       select hash, task, $2, label, spec, metric, direction, min, max from given
     )
     insert into baselines (content_hash, value, standard_error) select hash, baseline, "standardError" from given where baseline is not null`,
    [JSON.stringify(tasks), MLGYM_CONTRACT],
  );
  await sql.query(
    `with given as (
       select * from jsonb_to_recordset($1::jsonb) as r (run_id text, ordinal int, model text, task text, attempt int,
         end_reason text, final_evaluation text, exit_status text, step int, cost numeric, calls int, sent bigint,
         received bigint, scores jsonb, metric text, actions jsonb)
     ), played as (
       insert into runs (run_id, batch_id, origin, shard, ordinal, model_name, model_kind, provider, provider_model, sampling,
         task_id, task_hash, contract, agent_name, agent_hash, attempt, seed, max_steps, wall_seconds, backend, gpus,
         harness_version, status, isolation, step, input_tokens, output_tokens, recorded_cost_usd, recorded_calls,
         end_reason, final_evaluation, exit_status, ended_at)
       select run_id, $2, 'mlgym', 0, ordinal, model, 'real', 'mlgym', model, '{}',
         task, $2 || '-' || task, $3, 'published', 'published', attempt, 0, 50, 0, 'docker', 0,
         'mlgym', 'ended', 'container', step, sent, received, cost, calls,
         end_reason, final_evaluation, exit_status, now()
       from given
       returning run_id
     ), acted as (
       insert into steps (run_id, step, response, thought, action)
       select g.run_id, a.step, '', '', a.action
       from given g join played using (run_id), jsonb_array_elements_text(g.actions) with ordinality a (action, step)
     )
     insert into evaluations (run_id, step, kind, number, status, metrics, primary_score, isolation, evaluator_version, contract)
     select g.run_id, e.number, 'validate', e.number, 'ok', e.metrics, (e.metrics ->> g.metric)::float8, 'container', 'mlgym', $3
     from given g join played using (run_id), jsonb_array_elements(g.scores) with ordinality e (metrics, number)`,
    [JSON.stringify(rows), batchId, MLGYM_CONTRACT],
  );
  await sql.query('commit');
  return batchId;
}
