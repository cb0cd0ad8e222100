import type {
  ExchangedRecord,
  ExchangedStepRow,
  ExchangedEnd,
  WriteExchanged,
  ReadExchanged,
} from '../../domain/ports/imports.js';
import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { ExtraCall } from '../../domain/exchange/bench-extra.js';
import { BenchError } from '../../domain/errors.js';
import { newRunId } from '../../domain/ids.js';
import { SHARD_SIZE } from '../../domain/run/limits.js';
import { MLGYM_CONTRACT } from '../../domain/mlgym/tasks.js';
import { wellFormedJson } from './import-run.js';
import { importWhole, type Sql } from './import-whole.js';
import type { ImportOptions, ImportOutcome } from '../../domain/ports/imports.js';

const EXCHANGED = {
  origin: 'import' as const,
  imported: 'exchange',
  remedy: 'Choose another name: imported trajectories and logs need a batch of their own.',
};

const STEPS = 100;
const CHARACTERS = 2_000_000;

/** Stores another tool's run; an error in `read` undoes all. Does not read known content. */
export async function importExchanged(
  pool: pg.Pool,
  run: ExchangedRecord,
  options: ImportOptions,
  read: ReadExchanged,
): Promise<ImportOutcome> {
  return await importWhole(pool, run, options, {
    batch: EXCHANGED,
    store: async (sql, batchId) => {
      const task = await taskVersionFor(sql, run);
      const placed = await insertRun(sql, run, batchId, task);
      const writer = rowWriter(sql, placed.runId, run.model);
      const answers: Record<string, string> = {};
      const { end, remarks } = await read((step) => {
        for (const call of step.calls) if (call.answer !== undefined) answers[`${step.step}.${call.try}`] = call.answer;
        return writer.write(step);
      });
      await writer.flush();
      await insertCalls(sql, placed.runId, run.model, end.calls);
      await insertEvaluations(sql, placed.runId, task, end);
      await finishRun(sql, placed.runId, end);
      await sql(
        `insert into imports (run_id, batch_id, format, source, content_hash, raw_exit_status, args, prompt, remarks)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          ...[placed.runId, batchId, run.format, run.source, run.contentHash, end.exitStatus],
          ...[wellFormedJson({ ...end.kept, answers }), wellFormedJson(end.prompt), wellFormedJson(remarks)],
        ],
      );
      return { ...placed, taskBaseline: null };
    },
    explain: ({ constraint, message }) =>
      constraint === 'task_versions_contract'
        ? new BenchError('usage', message, {
            code: 'import.conflict',
            remedy: 'Give it a task id of its own.',
            fields: { task: '<id>' },
          })
        : null,
  });
}

interface TaskVersion {
  hash: string;
  contract: number;
}

const sha256 = (parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** The file's version, if known here; else one of contract 0, which nothing is compared with. */
async function taskVersionFor(sql: Sql, { format, task, taskHash }: ExchangedRecord): Promise<TaskVersion> {
  const { rows } = await sql<TaskVersion>(
    `select content_hash as hash, contract from task_versions
     where content_hash = $1 and task_id = $2 and primary_metric = $3 and direction = $4 or $5 and task_id = $2 and contract = $6
     order by content_hash limit 1`,
    [taskHash, task.id, task.metric, task.direction, task.assumed, MLGYM_CONTRACT],
  );
  const [known] = rows;
  if (known !== undefined) return known;
  const { assumed: _, ...stated } = task;
  const hash = sha256([format, stated]);
  const bounds = { ...(task.min !== null && { min: task.min }), ...(task.max !== null && { max: task.max }) };
  const spec = {
    ...{ origin: format, id: task.id, name: task.name, contract: MLGYM_CONTRACT, primary: task.metric },
    metrics: { [task.metric]: { direction: task.direction, ...(Object.keys(bounds).length > 0 && { bounds }) } },
  };
  await sql(
    `insert into task_versions (content_hash, task_id, contract, name, spec, primary_metric, direction, bound_min, bound_max)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      ...[hash, task.id, MLGYM_CONTRACT, task.name, wellFormedJson(spec)],
      ...[task.metric, task.direction, task.min, task.max],
    ],
  );
  return { hash, contract: MLGYM_CONTRACT };
}

async function insertRun(
  sql: Sql,
  run: ExchangedRecord,
  batchId: string,
  task: TaskVersion,
): Promise<{ runId: string; attempt: number }> {
  const agentHash = sha256([run.format, run.agent]);
  await sql('insert into agent_configs (hash, name, content) values ($1, $2, $3) on conflict do nothing', [
    ...[agentHash, run.agent, wellFormedJson({ origin: run.format, config: run.agent })],
  ]);
  const { rows } = await sql<{ attempt: number; ordinal: number }>(
    `select coalesce(max(ordinal) + 1, 0) as ordinal,
       case when bool_or(model_name = $2 and task_id = $3 and attempt = $4)
         then max(attempt) filter (where model_name = $2 and task_id = $3) + 1 else $4::int end as attempt
     from runs where batch_id = $1`,
    [batchId, run.model.name, run.task.id, run.attempt],
  );
  const { attempt = run.attempt, ordinal = 0 } = rows[0] ?? {};
  const runId = newRunId();
  await sql(
    `insert into runs (run_id, batch_id, origin, shard, ordinal, model_name, model_kind, provider, provider_model, sampling,
       task_id, task_hash, contract, agent_name, agent_hash, attempt, seed, max_steps, wall_seconds, backend, gpus,
       harness_version, status, end_reason, final_evaluation)
     values ($1, $2, 'import', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 0, $18, $19, $20,
       'ended', 'unknown', 'not_run')`,
    [
      ...[runId, batchId, Math.floor(ordinal / SHARD_SIZE), ordinal, run.model.name, run.model.kind],
      ...[run.model.provider, run.model.providerModel, JSON.stringify(run.sampling), run.task.id, task.hash],
      ...[task.contract, run.agent, agentHash, attempt, run.seed, run.maxSteps, run.backend, run.gpus],
      run.harnessVersion,
    ],
  );
  return { runId, attempt };
}

function rowWriter(
  sql: Sql,
  runId: string,
  model: ExchangedRecord['model'],
): { write: WriteExchanged; flush: () => Promise<void> } {
  let rows: ExchangedStepRow[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    if (rows.length === 0) return;
    const written = rows;
    rows = [];
    characters = 0;
    await sql(
      `insert into steps (run_id, step, response, thought, action, observation, exit_code, timed_out, lost, output_bytes, requested,
         working_dir, tool_state, command_ms, model_ms, created_at, executed_at)
       select $1, s.step, s.response, s.thought, s.action, s.observation, s.exit_code, s.timed_out, s.lost, s.output_bytes, s.requested,
         s.working_dir, s.tool_state, s.command_ms, s.model_ms, coalesce(s.created_at, now()), s.executed_at
       from jsonb_populate_recordset(null::steps, $2::jsonb) s`,
      [runId, wellFormedJson(written.map(({ calls: _, ...row }) => row))],
    );
    await insertCalls(
      sql,
      runId,
      model,
      written.flatMap(({ step, calls }) => calls.map((call) => ({ ...call, step }))),
    );
  };
  return {
    flush,
    write: async (step) => {
      rows.push(step);
      characters += step.response.length + step.thought.length + (step.action ?? '').length;
      characters += step.observation?.length ?? 0;
      if (rows.length >= STEPS || characters >= CHARACTERS) await flush();
    },
  };
}

async function insertCalls(
  sql: Sql,
  runId: string,
  { provider, providerModel }: ExchangedRecord['model'],
  calls: readonly ExtraCall[],
): Promise<void> {
  if (calls.length === 0) return;
  await sql(
    `insert into model_calls (run_id, step, try, attempt, provider, model, request_hash, request_messages, status, response, tool_calls,
       finish_reason, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens, cost_usd, ms, error)
     select $1, c.step, c.try, c.attempt, $2, $3, '', 0, c.status, c.response, c.tool_calls, c.finish_reason, c.input_tokens,
       c.output_tokens, c.cached_tokens, c.reasoning_tokens, c.cache_write_tokens, c.cost_usd, c.ms, c.error
     from jsonb_populate_recordset(null::model_calls, $4::jsonb) c on conflict do nothing`,
    [runId, provider, providerModel, wellFormedJson(calls)],
  );
}

async function insertEvaluations(sql: Sql, runId: string, task: TaskVersion, end: ExchangedEnd): Promise<void> {
  await sql(
    `insert into evaluations (run_id, step, kind, split, number, status, metrics, primary_score, suspect, message, ms, submission_sha256,
       from_step, created_at, ended_at, isolation, evaluator_version, contract)
     select $1, e.step, e.kind, e.split, e.number, e.status, e.metrics, e."primary", e.suspect, e.message, e.ms, e."submissionSha256",
       e."fromStep", coalesce(e.at, now()), e.at, $2, $3, $4
     from jsonb_to_recordset($5::jsonb) as e (step int, kind text, split text, number int, status text, metrics jsonb, "primary" float8,
       suspect boolean, message text, ms float8, "submissionSha256" text, "fromStep" int, at timestamptz)`,
    [runId, end.isolation ?? 'none', task.hash, task.contract, wellFormedJson(end.evaluations)],
  );
}

async function finishRun(sql: Sql, runId: string, end: ExchangedEnd): Promise<void> {
  const text = (value: string | null): string | null => value?.replaceAll('\0', '\uFFFD') ?? null;
  await sql(
    `update runs set step = $2, end_reason = $3, final_evaluation = $4, exit_status = $5, detail = $6, input_tokens = $7,
       output_tokens = $8, cached_tokens = $9, reasoning_tokens = $10, cache_write_tokens = $11, recorded_cost_usd = $12,
       best_score = $13, final_score = $14, workspace = $15, isolation = $16, created_at = coalesce($17, created_at),
       started_at = $18, ended_at = $19, updated_at = now()
     where run_id = $1`,
    [
      ...[runId, end.steps, end.endReason, end.finalEvaluation, text(end.exitStatus), text(end.detail)],
      ...[end.usage.input, end.usage.output, end.usage.cached, end.usage.reasoning, end.usage.cacheWrite, end.costUsd],
      ...[end.bestScore, end.finalScore, text(end.workspace), end.isolation ?? 'none'],
      ...[end.createdAt, end.startedAt, end.endedAt],
    ],
  );
}
