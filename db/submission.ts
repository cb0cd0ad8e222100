import type { BatchDefinition, SubmittedRun, BatchSubmission } from '../domain/ports/record/batch-intake.js';
import { createHash } from 'node:crypto';
import { eq, max } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { SHARD_SIZE } from '../domain/run/limits.js';
import { type ModelConfig, modelConfigSchema } from '../domain/model/config.js';
import { statedBaseline } from '../domain/task/baseline.js';
import type { TaskSpec } from '../domain/task/task.js';
import { copyForkedSteps } from './copy-forked-steps.js';
import { errorFields, queryError } from './database-error.js';
import { agentConfigs } from './schema/agent-configs.js';
import { batches } from './schema/batches.js';
import { keptValues } from './kept-options.js';
import { modelConfigs } from './schema/model-configs.js';
import { recordings } from './schema/recordings.js';
import { runs } from './schema/runs.js';
import { baselines, taskVersions } from './schema/task-versions.js';

/** 32 columns a row, and PostgreSQL takes 65,535 parameters a statement. */
const ROWS_PER_INSERT = 500;

/** A batch and all its runs, or nothing. */
export async function insertBatch(pool: pg.Pool, { batch, runs: submitted }: BatchSubmission): Promise<void> {
  if (submitted.length === 0)
    throw new BenchError('usage', 'the batch has no runs', {
      code: 'batch.empty',
      remedy: 'Choose at least one model and one task.',
    });
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
        priority: batch.priority ?? 3,
        breaker: batch.breaker ?? null,
        budgetUsd: batch.budgetUsd,
        forecast: batch.forecast ?? null,
        allocation: batch.allocation ?? null,
        verification: batch.verification ?? false,
      });
      await insertRuns(tx, submitted, { ordinal: 0, shard: 0 }, batch.harnessVersion);
    });
  } catch (error) {
    throw submissionError(batch, error);
  }
}

/** In new shards, all or none; an ended batch runs again. The caller must signal its workflow. */
export async function appendRuns(
  pool: pg.Pool,
  batchId: string,
  submitted: SubmittedRun[],
  harnessVersion: string,
): Promise<void> {
  if (submitted.length === 0) return;
  const stray = submitted.find((run) => run.batchId !== batchId);
  if (stray !== undefined) throw new Error(`run ${stray.runId} belongs to ${stray.batchId}, not to ${batchId}`);
  try {
    await drizzle(pool).transaction(async (tx) => {
      // One addition at a time, and none while the batch's end is being written.
      const [known] = await tx.select().from(batches).where(eq(batches.batchId, batchId)).for('update');
      if (known === undefined) throw new BenchError('not_found', `no batch ${batchId}`, { code: 'batch.not_found' });
      if (known.origin !== 'bench')
        throw new BenchError('usage', `batch ${batchId} was imported, so no runs can be added to it`, {
          code: 'batch.imported',
          remedy: 'Submit them as a new batch.',
        });
      if (known.parentBatch !== null)
        throw new BenchError(
          'usage',
          `batch ${batchId} holds the nodes of a search tree, so no runs can be added to it`,
          {
            code: 'batch.tree_nodes',
            remedy: `Its tree is a run of batch ${known.parentBatch}: that one can be retried.`,
          },
        );
      const [last] = await tx
        .select({ ordinal: max(runs.ordinal), shard: max(runs.shard) })
        .from(runs)
        .where(eq(runs.batchId, batchId));
      const first = { ordinal: (last?.ordinal ?? -1) + 1, shard: (last?.shard ?? -1) + 1 };
      await insertRuns(tx, submitted, first, harnessVersion);
      const over = known.status === 'ended' || known.status === 'cancelled';
      await tx
        .update(batches)
        // Added runs are expected to end well: the breaker counts from zero again.
        .set({ failingCause: null, failingRuns: 0, ...(over && { status: 'running', endedAt: null }) })
        .where(eq(batches.batchId, batchId));
    });
  } catch (error) {
    throw submissionError({ batchId, name: null }, error);
  }
}

/** With the content that they name, unless it is known, and the steps of forks. */
export async function insertRuns(
  tx: Pick<NodePgDatabase, 'insert' | 'execute'>,
  submitted: SubmittedRun[],
  first: { ordinal: number; shard: number },
  harnessVersion: string,
  { contentIsStored = false } = {},
): Promise<void> {
  if (!contentIsStored) await insertContent(tx, submitted);
  const rows = submitted.map((run, i) => ({
    ...runRow(run, harnessVersion),
    ordinal: first.ordinal + i,
    shard: first.shard + Math.floor(i / SHARD_SIZE),
  }));
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
    await tx.insert(runs).values(rows.slice(start, start + ROWS_PER_INSERT));
  await copyForkedSteps(tx, submitted);
}

async function insertContent(tx: Pick<NodePgDatabase, 'insert'>, submitted: SubmittedRun[]): Promise<void> {
  const versions = new Map(submitted.map((run) => [run.taskHash, run.task]));
  const agents = new Map(submitted.map((run) => [run.agentHash, run]));
  // Sorted, so that concurrent submissions lock shared rows in the same order.
  const tasks = [...versions].sort(([a], [b]) => (a < b ? -1 : 1));
  await tx
    .insert(taskVersions)
    .values(tasks.map(([contentHash, spec]) => taskVersionRow(contentHash, spec)))
    .onConflictDoNothing();
  const known = tasks.flatMap(([contentHash, task]) => {
    const stated = statedBaseline(task);
    return stated === null ? [] : [{ contentHash, ...stated }];
  });
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

/** Hash of the canonical JSON: model configurations are few and small. */
function configHash(config: ModelConfig): string {
  const known = hashes.get(config);
  if (known !== undefined) return known;
  const hash = createHash('sha256')
    .update(JSON.stringify(modelConfigSchema.parse(config)))
    .digest('hex');
  hashes.set(config, hash);
  return hash;
}
/** Thousands of runs share one configuration. */
const hashes = new WeakMap<ModelConfig, string>();

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

function runRow(run: SubmittedRun, harnessVersion: string): Omit<typeof runs.$inferInsert, 'shard' | 'ordinal'> {
  return {
    runId: run.runId,
    batchId: run.batchId,
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
    wallSeconds: run.wallSeconds,
    backend: run.backend,
    gpus: run.gpus,
    costLimitUsd: run.costLimitUsd ?? null,
    ...keptValues(run),
    harnessVersion,
    replaces: run.replaces ?? null,
    forkedFrom: run.forkedFrom?.runId ?? null,
    forkedAtStep: run.forkedFrom?.step ?? null,
  };
}

function submissionError(batch: Pick<BatchDefinition, 'batchId' | 'name'>, error: unknown): Error {
  if (error instanceof BenchError) return error;
  const { constraint, message } = errorFields(error);
  if (constraint === 'task_versions_contract')
    return new BenchError('usage', message, {
      code: 'task.changed',
      remedy: 'Raise `contract` in its task.yaml: scores of different contracts are never compared.',
    });
  if (constraint === 'batches_project_name_unique')
    return new BenchError('conflict', `a batch named "${batch.name ?? ''}" already exists`, {
      code: 'batch.name_taken',
      remedy: `Choose another name, or look at it with \`bench status ${batch.name ?? ''}\`.`,
      fields: { name: true },
    });
  if (constraint === 'runs_attempt_unique')
    return new BenchError('usage', 'the batch contains the same model, task and attempt twice', {
      code: 'batch.duplicate_run',
      remedy: 'Remove the repeated model or task.',
    });
  if (constraint === 'runs_replaces_unique')
    return new BenchError('usage', 'one of these runs has already been replaced', {
      code: 'run.replaced',
      remedy: '`bench status` shows which runs replace others.',
    });
  if (constraint === 'runs_replaces_runs_run_id_fk')
    return new BenchError('not_found', 'the batch repeats a run that is missing in the database', {
      code: 'run.not_found',
    });
  if (constraint === 'runs_forked_from_runs_run_id_fk')
    return new BenchError('not_found', 'the batch forks a run that is missing in the database', {
      code: 'run.not_found',
    });
  return queryError(`storing batch ${batch.batchId}`, error);
}
