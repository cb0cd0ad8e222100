import type {
  RecordedRun,
  RecordedStep,
  RecordedEvaluation,
  RecordedEnd,
  StepWriter,
  ReadRun,
} from '../../domain/ports/imports.js';
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { BenchError } from '../../domain/errors.js';
import { newRunId } from '../../domain/ids.js';
import { SHARD_SIZE } from '../../domain/run/limits.js';
import { MLGYM_CONTRACT, type MlgymTask } from '../../domain/mlgym/tasks.js';
import { storable } from '../statements.js';
import { importWhole, type Sql } from './import-whole.js';
import type { ImportOptions, ImportOutcome } from '../../domain/ports/imports.js';

const RUN_DIRECTORIES = {
  origin: 'mlgym' as const,
  imported: 'mlgym',
  remedy: 'Choose another name: run directories need a batch of their own.',
};

const ROWS = 200;
const CHARACTERS = 2_000_000;

/**
 * Stores an MLGym run: `read` passes on steps and returns the rest; its errors undo all. Does not
 * read known content. Throws BenchError (usage) for a batch of other runs, or another metric of the
 * task.
 */
export async function importRun(
  pool: pg.Pool,
  run: RecordedRun,
  options: ImportOptions,
  read: ReadRun,
): Promise<ImportOutcome> {
  return await importWhole(pool, run, options, {
    batch: RUN_DIRECTORIES,
    store: async (sql, batchId) => {
      const taskHash = await taskVersionFor(sql, run);
      const placed = await insertRun(sql, run, batchId, taskHash);
      const steps = stepWriter(sql, placed.runId);
      const { end, remarks } = await read(steps.write);
      await steps.flush();
      await insertEvaluations(sql, placed.runId, taskHash, end.evaluations);
      await finishRun(sql, placed.runId, end);
      await insertImport(sql, placed.runId, batchId, run, end, remarks);
      return { ...placed, taskBaseline: await baselineOf(sql, taskHash, end.baselineValue, run.task) };
    },
  });
}

const sha256 = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

async function taskVersionFor(sql: Sql, { taskId, task }: RecordedRun): Promise<string> {
  const hash = sha256(['mlgym', taskId, task.metric, task.direction]);
  const spec = {
    origin: 'mlgym',
    id: taskId,
    name: task.label,
    contract: MLGYM_CONTRACT,
    metrics: { [task.metric]: { direction: task.direction, ...(task.bounds && { bounds: task.bounds }) } },
    primary: task.metric,
    ...(task.target && { target: task.target }),
  };
  const { rows: others } = await sql<{ metric: string; direction: string }>(
    `select primary_metric as metric, direction from task_versions
     where task_id = $1 and contract = $2 and content_hash <> $3 limit 1`,
    [taskId, MLGYM_CONTRACT, hash],
  );
  const [other] = others;
  if (other !== undefined)
    throw new BenchError(
      'usage',
      `task ${taskId} was imported before with another metric: ${other.metric}, ${other.direction}`,
      {
        code: 'import.conflict',
        remedy: `Use the same one: ${taskId}=${other.metric}:${other.direction.slice(0, 3)}.`,
        fields: { taskMetric: true },
      },
    );
  await sql(
    `insert into task_versions (content_hash, task_id, contract, name, spec, primary_metric, direction, bound_min, bound_max)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     -- Versions that were stored before tasks had targets.
     on conflict (content_hash) do update set spec = excluded.spec where target_of(task_versions.spec) is distinct from target_of(excluded.spec)`,
    [
      hash,
      taskId,
      MLGYM_CONTRACT,
      task.label,
      JSON.stringify(spec),
      task.metric,
      task.direction,
      task.bounds?.min ?? null,
      task.bounds?.max ?? null,
    ],
  );
  return hash;
}

/** The first baseline with the task's metric stays. */
async function baselineOf(
  sql: Sql,
  taskHash: string,
  value: number | null,
  { standardError = 0 }: MlgymTask,
): Promise<number | null> {
  if (value !== null)
    await sql(
      `insert into baselines as b (content_hash, value, standard_error) values ($1, $2, $3)
       on conflict (content_hash) do update set standard_error = $3 where b.value = $2 and b.standard_error = 0`,
      [taskHash, value, standardError],
    );
  const { rows } = await sql<{ value: number }>('select value from baselines where content_hash = $1', [taskHash]);
  return rows[0]?.value ?? null;
}

async function insertRun(
  sql: Sql,
  run: RecordedRun,
  batchId: string,
  taskHash: string,
): Promise<{ runId: string; attempt: number }> {
  const agentHash = sha256(['mlgym', run.agent]);
  await sql('insert into agent_configs (hash, name, content) values ($1, $2, $3) on conflict do nothing', [
    agentHash,
    `mlgym:${run.agent}`,
    JSON.stringify({ origin: 'mlgym', config: run.agent }),
  ]);
  const { rows } = await sql<{ attempt: number; ordinal: number }>(
    `select coalesce(max(ordinal) + 1, 0) as ordinal,
       case when bool_or(model_name = $2 and task_id = $3 and attempt = $4)
         then max(attempt) filter (where model_name = $2 and task_id = $3) + 1 else $4::int end as attempt
     from runs where batch_id = $1`,
    [batchId, run.model, run.taskId, run.attempt],
  );
  const { attempt = run.attempt, ordinal = 0 } = rows[0] ?? {};
  const runId = newRunId();
  // Inserted as ended, so that no worker picks it up.
  await sql(
    `insert into runs (run_id, batch_id, origin, shard, ordinal, model_name, model_kind, provider, provider_model, sampling,
       task_id, task_hash, contract, agent_name, agent_hash, attempt, seed, max_steps, wall_seconds, cost_limit_usd, backend, gpus,
       harness_version, status, isolation, end_reason, final_evaluation)
     values ($1, $2, 'mlgym', $3, $4, $5, 'real', 'mlgym', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, $16, $17, $18,
       'mlgym', 'ended', 'container', 'unknown', 'not_run')`,
    [
      runId,
      batchId,
      Math.floor(ordinal / SHARD_SIZE),
      ordinal,
      run.model,
      run.providerModel,
      JSON.stringify(run.sampling),
      run.taskId,
      taskHash,
      MLGYM_CONTRACT,
      `mlgym:${run.agent}`,
      agentHash,
      attempt,
      run.seed,
      run.maxSteps,
      run.costLimitUsd,
      run.backend,
      run.gpus,
    ],
  );
  return { runId, attempt };
}

function stepWriter(sql: Sql, runId: string): { write: StepWriter; flush: () => Promise<void> } {
  let rows: RecordedStep[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    if (rows.length === 0) return;
    const column = <T>(value: (step: RecordedStep) => T): T[] => rows.map(value);
    const values = [
      runId,
      column((s) => s.step),
      column((s) => storable(s.response)),
      column((s) => storable(s.thought)),
      column((s) => storable(s.action)),
      column((s) => (s.observation === null ? null : storable(s.observation))),
      column((s) => s.outputBytes),
      column((s) => s.requested),
      column((s) => (s.workingDir === null ? null : storable(s.workingDir))),
      column((s) => (s.openFile === null ? null : storable(s.openFile))),
      column((s) => s.commandMs),
    ];
    rows = [];
    characters = 0;
    await sql(
      `insert into steps (run_id, step, response, thought, action, observation, output_bytes, requested, working_dir, tool_state,
         command_ms, executed_at)
       select $1, s.step, s.response, s.thought, s.action, s.observation, s.output_bytes, s.requested, s.working_dir,
         case when s.open_file is not null then jsonb_build_object('openFile', s.open_file) end, s.command_ms, now()
       from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[], $10::text[],
         $11::float8[]) as s (step, response, thought, action, observation, output_bytes, requested, working_dir, open_file, command_ms)`,
      values,
    );
  };
  return {
    flush,
    write: async (step) => {
      rows.push(step);
      characters += step.response.length + step.thought.length + step.action.length + (step.observation?.length ?? 0);
      if (rows.length >= ROWS || characters >= CHARACTERS) await flush();
    },
  };
}

async function insertEvaluations(
  sql: Sql,
  runId: string,
  taskHash: string,
  evaluations: readonly RecordedEvaluation[],
): Promise<void> {
  for (let start = 0; start < evaluations.length; start += ROWS) {
    const rows = evaluations.slice(start, start + ROWS).map((e) => ({ ...e, message: storable(e.message) }));
    await sql(
      `insert into evaluations (run_id, step, kind, number, status, metrics, primary_score, suspect, message, isolation,
         evaluator_version, contract)
       select $1, e.step, e.kind, e.number, e.status, e.metrics, e."primary", e.suspect, e.message, 'container', $2, $3
       from jsonb_to_recordset($4::jsonb) as e (step int, kind text, number int, status text, metrics jsonb, "primary" float8,
         suspect boolean, message text)`,
      [runId, taskHash, MLGYM_CONTRACT, wellFormedJson(rows)],
    );
  }
}

async function finishRun(sql: Sql, runId: string, end: RecordedEnd): Promise<void> {
  await sql(
    `update runs set step = $2, end_reason = $3, final_evaluation = $4, exit_status = $5, input_tokens = $6, output_tokens = $7,
       recorded_cost_usd = $8, recorded_calls = $9, best_score = $10, final_score = $11, workspace = $12, updated_at = now()
     where run_id = $1`,
    [
      runId,
      end.steps,
      end.endReason,
      end.finalEvaluation,
      end.exitStatus === null ? null : storable(end.exitStatus),
      end.inputTokens,
      end.outputTokens,
      end.recordedCostUsd,
      end.recordedCalls,
      end.bestScore,
      end.finalScore,
      end.workspace === null ? null : storable(end.workspace),
    ],
  );
}

async function insertImport(
  sql: Sql,
  runId: string,
  batchId: string,
  run: RecordedRun,
  end: RecordedEnd,
  remarks: readonly unknown[],
): Promise<void> {
  const json = (value: unknown): string | null => (value == null ? null : wellFormedJson(value));
  const text = (value: string | null): string | null => (value === null ? null : storable(value));
  await sql(
    `insert into imports (run_id, batch_id, format, source, content_hash, raw_exit_status, model_stats, submission, baseline,
       environment, args, prompt, footers, history_messages, last_action, remarks)
     values ($1, $2, 'mlgym', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      runId,
      batchId,
      storable(run.source),
      run.contentHash,
      text(end.rawExitStatus),
      json(end.modelStats),
      text(end.submission),
      json(end.baseline),
      text(end.environment),
      json(end.args),
      json(end.prompt),
      json(end.footers),
      end.historyMessages,
      text(end.lastAction),
      wellFormedJson(remarks),
    ],
  );
}

/** JSON that PostgreSQL accepts: no NUL and no lone surrogates, not even in keys. */
export function wellFormedJson(value: unknown): string {
  return JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, '$1\uFFFD');
}
