import { createHash } from 'node:crypto';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { SHARD_SIZE } from '../domain/limits.js';
import { type ModelConfig, modelConfigSchema } from '../domain/model-config.js';
import type { RunDefinition } from '../domain/run.js';
import type { TaskSpec } from '../domain/task.js';
import { errorFields, queryError } from './database-error.js';
import { agentConfigs } from './schema/agent-configs.js';
import { batches } from './schema/batches.js';
import { modelConfigs } from './schema/model-configs.js';
import { recordings } from './schema/recordings.js';
import { runs } from './schema/runs.js';
import { baselines, taskVersions } from './schema/task-versions.js';

export interface BatchDefinition {
  batchId: string;
  /** Unique over all batches; null: the batch has no name. */
  name: string | null;
  /** The expanded specification that the batch was submitted with, for people and for `export`. */
  spec: Record<string, unknown>;
  seed: number;
  concurrency: number;
  /** US dollars as a decimal string; null: no budget. */
  budgetUsd: string | null;
  /** Version of this program, kept on every run. */
  harnessVersion: string;
}

/** A run to be stored. Task versions and agent configurations are taken from the definitions, once per hash. */
export interface SubmittedRun extends RunDefinition {
  /** The run that this one repeats. */
  replaces?: string | null;
  /** The task's data is a sample of the real data set. */
  sample?: boolean;
}

export interface BatchSubmission {
  batch: BatchDefinition;
  /** In submission order: position = ordinal, shard = floor(ordinal / SHARD_SIZE). */
  runs: SubmittedRun[];
}

/** 29 columns a row, and PostgreSQL takes 65,535 parameters a statement. */
const ROWS_PER_INSERT = 500;

/** Store a batch and all its runs, or nothing. */
export async function insertBatch(pool: pg.Pool, { batch, runs: submitted }: BatchSubmission): Promise<void> {
  if (submitted.length === 0)
    throw new BenchError('usage', 'a batch without runs', { remedy: 'Name at least one model and one task.' });
  const stray = submitted.find((run) => run.batchId !== batch.batchId);
  if (stray !== undefined) throw new Error(`run ${stray.runId} belongs to ${stray.batchId}, not to ${batch.batchId}`);
  try {
    await drizzle(pool).transaction(async (tx) => {
      await tx.insert(batches).values({
        batchId: batch.batchId,
        name: batch.name,
        spec: batch.spec,
        seed: batch.seed,
        concurrency: batch.concurrency,
        budgetUsd: batch.budgetUsd,
      });
      await insertContent(tx, submitted);
      const rows = submitted.map((run, ordinal) => runRow(run, ordinal, batch.harnessVersion));
      for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
        await tx.insert(runs).values(rows.slice(start, start + ROWS_PER_INSERT));
    });
  } catch (error) {
    throw submissionError(batch, error);
  }
}

async function insertContent(tx: Pick<NodePgDatabase, 'insert'>, submitted: SubmittedRun[]): Promise<void> {
  const versions = new Map(submitted.map((run) => [run.taskHash, run.task]));
  const agents = new Map(submitted.map((run) => [run.agentHash, run]));
  // Sorted, so that two submissions at once lock the shared rows in the same order.
  const tasks = [...versions].sort(([a], [b]) => (a < b ? -1 : 1));
  await tx
    .insert(taskVersions)
    .values(tasks.map(([contentHash, spec]) => taskVersionRow(contentHash, spec)))
    .onConflictDoNothing();
  const known = tasks.flatMap(([contentHash, { baseline }]) =>
    baseline === undefined ? [] : [{ contentHash, value: baseline.value, standardError: baseline.standardError }],
  );
  if (known.length > 0) await tx.insert(baselines).values(known).onConflictDoNothing();
  const models = new Map(
    submitted.flatMap(({ model }) =>
      model.config === undefined
        ? []
        : [[configHash(model.config), { name: model.name, content: model.config }] as const],
    ),
  );
  if (models.size > 0)
    await tx
      .insert(modelConfigs)
      .values([...models].sort(([a], [b]) => (a < b ? -1 : 1)).map(([hash, model]) => ({ hash, ...model })))
      .onConflictDoNothing();
  const played = new Map(
    submitted.flatMap(({ model: { model: hash, name, recording } }) =>
      recording === undefined ? [] : [[hash, { name, content: recording }] as const],
    ),
  );
  if (played.size > 0)
    await tx
      .insert(recordings)
      .values([...played].sort(([a], [b]) => (a < b ? -1 : 1)).map(([hash, one]) => ({ hash, ...one })))
      .onConflictDoNothing();
  await tx
    .insert(agentConfigs)
    .values(
      [...agents]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([hash, { agentName, agent }]) => ({ hash, name: agentName, content: agent })),
    )
    .onConflictDoNothing();
}

/** Model configurations are few and small: their canonical JSON names them. */
const configHash = (config: ModelConfig): string =>
  createHash('sha256')
    .update(JSON.stringify(modelConfigSchema.parse(config)))
    .digest('hex');

function taskVersionRow(contentHash: string, spec: TaskSpec): typeof taskVersions.$inferInsert {
  const metric = spec.metrics[spec.primary];
  if (metric === undefined) throw new Error(`task ${spec.id}: primary metric ${spec.primary} is not declared`);
  return {
    contentHash,
    taskId: spec.id,
    contract: spec.contract,
    name: spec.name,
    spec,
    primaryMetric: spec.primary,
    direction: metric.direction,
    boundMin: metric.bounds?.min ?? null,
    boundMax: metric.bounds?.max ?? null,
  };
}

function runRow(run: SubmittedRun, ordinal: number, harnessVersion: string): typeof runs.$inferInsert {
  return {
    runId: run.runId,
    batchId: run.batchId,
    shard: Math.floor(ordinal / SHARD_SIZE),
    ordinal,
    modelName: run.model.name,
    modelKind: run.model.kind,
    provider: run.model.provider,
    providerModel: run.model.model,
    modelConfigHash: run.model.config === undefined ? null : configHash(run.model.config),
    recordingHash: run.model.recording === undefined ? null : run.model.model,
    sampling: run.sampling,
    taskId: run.task.id,
    taskHash: run.taskHash,
    contract: run.task.contract,
    sample: run.sample ?? false,
    agentName: run.agentName,
    agentHash: run.agentHash,
    attempt: run.attempt,
    seed: run.seed,
    maxSteps: run.maxSteps,
    wallSeconds: run.wallSeconds,
    backend: run.backend,
    gpus: run.gpus,
    memory: run.memory ?? false,
    costLimitUsd: run.costLimitUsd ?? null,
    tokenLimit: run.tokenLimit ?? 0,
    harnessVersion,
    replaces: run.replaces ?? null,
  };
}

function submissionError(batch: BatchDefinition, error: unknown): Error {
  const { constraint } = errorFields(error);
  if (constraint === 'batches_name_unique')
    return new BenchError('usage', `a batch named "${batch.name ?? ''}" exists already`, {
      remedy: `Choose another --name, or look at it with \`bench status ${batch.name ?? ''}\`.`,
    });
  if (constraint === 'runs_attempt_unique')
    return new BenchError('usage', 'the batch names the same model, task and attempt twice', {
      remedy: 'Remove the repeated model or task.',
    });
  if (constraint === 'runs_replaces_runs_run_id_fk')
    return new BenchError('not_found', 'the batch repeats a run that is not in the database');
  return queryError(`storing batch ${batch.batchId}`, error);
}
